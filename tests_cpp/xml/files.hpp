#pragma once
// Texts and files for the tests of the reader. Kept out of line, as the tests call them some hundred times.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/xml/reader.hpp"

namespace headrace::xml::testing {

std::string content_of(const std::filesystem::path& file);
// A model beside these tests.
std::string model_file(std::string_view name);

// The reference material; nullopt when it is not there.
std::optional<std::filesystem::path> reference();
inline constexpr const char* kNoReference = "the reference material (HEADRACE_REFERENCE, default ../shared) is not there";

// Definitions around `content`, all namespaces declared.
std::string definitions(std::string_view content);
// A process with a start event s, the given elements, an end event e, and flows s -> first and first -> e.
std::string process_of(std::string_view first, std::string_view elements, std::string_view before = "");
// An external task t of topic work; a user task u.
std::string external(std::string_view attributes = "", std::string_view content = "");
std::string user_task(std::string_view attributes, std::string_view content = "");

// The rules that fail, each with its element: "start-missing , bad-id a b"; "" when the model is read.
std::string rules_of(std::string_view text);
std::string text_of(std::string_view text);

}  // namespace headrace::xml::testing
