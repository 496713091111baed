#include "context/bullets.h"

#include "context/bullet_form.h"

namespace kbeval {

void BulletCount::set(std::int64_t new_value) {
    if (new_value != value) {
        value = new_value;
        digits = std::to_string(new_value);
    }
}

std::string_view Bullet::text() const {
    const std::string_view view = rest;
    const std::size_t begin = view.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) {
        return {};
    }
    return view.substr(begin, view.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::vector<const Bullet*> BulletDocument::bullets() const {
    std::vector<const Bullet*> all;
    for (const BulletSection& section : sections) {
        for (const Bullet& bullet : section.bullets) {
            all.push_back(&bullet);
        }
    }
    return all;
}

const Bullet* BulletDocument::find(std::string_view id) const {
    const std::string wanted = lower_case(id);
    for (const Bullet* const bullet : bullets()) {
        if (lower_case(bullet->id) == wanted) {
            return bullet;
        }
    }
    return nullptr;
}

std::string render(const BulletDocument& document) {
    std::string out = document.preamble;
    for (const BulletSection& section : document.sections) {
        out += section.heading;
        out += section.lead;
        for (const Bullet& bullet : section.bullets) {
            out += "[" + bullet.id + "]";
            if (document.style == BulletStyle::ace) {
                out.append(helpful_mark).append(bullet.helpful.digits);
                out.append(harmful_mark).append(bullet.harmful.digits).append(" ::");
            }
            out += bullet.rest;
        }
    }
    return out;
}

}  // namespace kbeval
