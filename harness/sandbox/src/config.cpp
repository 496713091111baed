#include "config.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "error.h"
#include "report.h"

namespace kbeval::sandbox {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxListItems = 4096;

[[noreturn]] void reject(const std::string& key, const std::string& rule) {
    throw SandboxError(EINVAL, "sandbox configuration, key '" + key + "': " + rule);
}

std::string text(const std::string& key, const Json& value) {
    if (!value.is_string()) {
        reject(key, "must be a string");
    }
    auto result = value.get<std::string>();
    if (result.find('\0') != std::string::npos) {
        reject(key, "must not hold a NUL character");
    }
    return result;
}

std::string path(const std::string& key, const Json& value) {
    auto result = text(key, value);
    if (result.empty() || result.front() != '/' || result.size() >= PATH_MAX) {
        reject(key, "'" + result.substr(0, 200) + "' must be an absolute path below PATH_MAX");
    }
    if ((result + "/").find("/../") != std::string::npos || (result + "/").find("/./") != std::string::npos) {
        reject(key, "'" + result + "' must not hold '.' or '..'");
    }
    while (result.size() > 1 && result.back() == '/') {
        result.pop_back();
    }
    return result;
}

std::uint64_t number(const std::string& key, const Json& value) {
    if (!value.is_number_unsigned()) {
        reject(key, "must be a whole number, not negative");
    }
    return value.get<std::uint64_t>();
}

bool flag(const std::string& key, const Json& value) {
    if (!value.is_boolean()) {
        reject(key, "must be true or false");
    }
    return value.get<bool>();
}

template <typename Item, typename Parse>
std::vector<Item> list(const std::string& key, const Json& value, Parse parse) {
    if (!value.is_array() || value.size() > kMaxListItems) {
        reject(key, "must be a list of at most " + std::to_string(kMaxListItems) + " items");
    }
    std::vector<Item> result;
    for (const auto& item : value) {
        result.push_back(parse(key, item));
    }
    return result;
}

/// A path to mount inside: not the root, and nothing in the trees that the sandbox makes itself.
std::string mount_path(const std::string& key, const Json& value) {
    auto result = path(key, value);
    const auto inside = [&result](const std::string& tree) {
        return result == tree || result.starts_with(tree + "/");
    };
    const bool reserved =
        inside("/proc") || inside("/sys") || (inside("/dev") && !result.starts_with("/dev/shm/"));
    if (result == "/" || reserved) {
        reject(key, "'" + result + "' is made by the sandbox itself");
    }
    return result;
}

std::string device_path(const std::string& key, const Json& value) {
    auto result = path(key, value);
    if (!result.starts_with("/dev/") || result.starts_with("/dev/shm")) {
        reject(key, "'" + result + "' must be below /dev");
    }
    return result;
}

int descriptor(const std::string& key, const Json& value) {
    const auto result = number(key, value);
    if (result > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
        reject(key, "is no file descriptor");
    }
    return static_cast<int>(result);
}

std::uint32_t id(const std::string& key, const Json& value) {
    const auto result = number(key, value);
    if (result == 0 || result >= std::numeric_limits<std::uint32_t>::max()) {
        reject(key, "must be 1 to 4294967294");
    }
    return static_cast<std::uint32_t>(result);
}

std::string nested(std::string key, const std::string& name) {
    key += '.';
    key += name;
    return key;
}

std::map<std::string, std::string> environment(const std::string& key, const Json& value) {
    if (!value.is_object() || value.size() > kMaxListItems) {
        reject(key, "must be an object of strings");
    }
    std::map<std::string, std::string> result;
    for (const auto& [name, item] : value.items()) {
        if (name.empty() || name.find_first_of(std::string("=\0", 2)) != std::string::npos) {
            reject(key, "a name must not be empty nor hold '=' or NUL");
        }
        result[name] = text(nested(key, name), item);
    }
    return result;
}

Limits limits(const std::string& key, const Json& value) {
    if (!value.is_object()) {
        reject(key, "must be an object");
    }
    Limits result;
    const std::map<std::string, std::optional<std::uint64_t>*> known = {
        {"processes", &result.processes},    {"memory_bytes", &result.memory_bytes},
        {"data_bytes", &result.data_bytes},  {"file_bytes", &result.file_bytes},
        {"open_files", &result.open_files},  {"stack_bytes", &result.stack_bytes},
        {"cpu_seconds", &result.cpu_seconds}};
    for (const auto& [name, item] : value.items()) {
        const auto found = known.find(name);
        if (found == known.end()) {
            reject(nested(key, name), "is not a known limit");
        }
        if (!item.is_null()) {
            *found->second = number(nested(key, name), item);
        }
    }
    return result;
}

std::string layer_name(const std::string& key, const Json& value) {
    auto result = text(key, value);
    if (!is_layer(result)) {
        reject(key, "'" + result + "' is not a layer");
    }
    return result;
}

using Reader = std::function<void(Config&, const std::string&, const Json&)>;

const std::map<std::string, Reader>& readers() {
    using C = Config;
    using S = std::string;
    static const std::map<std::string, Reader> table = {
        {"ro_paths", [](C& c, const S& k, const Json& v) { c.ro_paths = list<S>(k, v, mount_path); }},
        {"rw_paths", [](C& c, const S& k, const Json& v) { c.rw_paths = list<S>(k, v, mount_path); }},
        {"hide_paths", [](C& c, const S& k, const Json& v) { c.hide_paths = list<S>(k, v, mount_path); }},
        {"device_paths",
         [](C& c, const S& k, const Json& v) { c.device_paths = list<S>(k, v, device_path); }},
        {"control_fd",
         [](C& c, const S& k, const Json& v) {
             c.control_fd = v.is_null() ? std::optional<int>() : descriptor(k, v);
         }},
        {"keep_fds", [](C& c, const S& k, const Json& v) { c.keep_fds = list<int>(k, v, descriptor); }},
        {"uid", [](C& c, const S& k, const Json& v) { c.uid = id(k, v); }},
        {"gid", [](C& c, const S& k, const Json& v) { c.gid = id(k, v); }},
        {"tmp_bytes", [](C& c, const S& k, const Json& v) { c.tmp_bytes = number(k, v); }},
        {"cwd", [](C& c, const S& k, const Json& v) { c.cwd = path(k, v); }},
        {"env", [](C& c, const S& k, const Json& v) { c.env = environment(k, v); }},
        {"hostname", [](C& c, const S& k, const Json& v) { c.hostname = text(k, v); }},
        {"dumpable", [](C& c, const S& k, const Json& v) { c.dumpable = flag(k, v); }},
        {"allow_netlink", [](C& c, const S& k, const Json& v) { c.allow_netlink = flag(k, v); }},
        {"legacy_remount", [](C& c, const S& k, const Json& v) { c.legacy_remount = flag(k, v); }},
        {"cgroup_parent", [](C& c, const S& k, const Json& v) { c.cgroup_parent = path(k, v); }},
        {"required", [](C& c, const S& k, const Json& v) { c.required = list<S>(k, v, layer_name); }},
        {"limits", [](C& c, const S& k, const Json& v) { c.limits = limits(k, v); }},
    };
    return table;
}

}  // namespace

Config parse_config(const char* json) {
    if (json == nullptr || ::strnlen(json, kMaxConfigBytes + 1) > kMaxConfigBytes) {
        throw SandboxError(EINVAL, "sandbox configuration: absent, or longer than 1 MiB");
    }
    const auto document = Json::parse(json, nullptr, false);
    if (!document.is_object()) {
        throw SandboxError(EINVAL, "sandbox configuration: not a JSON object");
    }
    Config config;
    for (const auto& [key, value] : document.items()) {
        const auto reader = readers().find(key);
        if (reader == readers().end()) {
            reject(key, "is not a known key");
        }
        if (!value.is_null()) {
            reader->second(config, key, value);
        }
    }
    if (config.tmp_bytes == 0) {
        reject("tmp_bytes", "must be above 0: a tmpfs of size 0 has no limit");
    }
    if (config.hostname.empty() || config.hostname.size() > 64) {
        reject("hostname", "must be 1 to 64 bytes");
    }
    std::sort(config.keep_fds.begin(), config.keep_fds.end());
    config.keep_fds.erase(std::unique(config.keep_fds.begin(), config.keep_fds.end()), config.keep_fds.end());
    return config;
}

}  // namespace kbeval::sandbox
