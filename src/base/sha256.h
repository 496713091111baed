#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kbeval {

/// Incremental SHA-256 (FIPS 180-4, by libcrypto).
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void update(std::string_view bytes);
    /// Adds a length-prefixed field, so that ("ab","c") and ("a","bc") differ.
    void field(std::string_view bytes);
    /// 64 lower-case hex digits; call once.
    std::string hex();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// 64 hex digits of the SHA-256 of `bytes`.
std::string sha256_hex(std::string_view bytes);

/// First 16 hex digits: how sources, contexts and the evaluator are named.
std::string short_digest(std::string_view bytes);

}  // namespace kbeval
