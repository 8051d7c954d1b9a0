// Errors as values: what failed, on what, why, and what to do next.
//
// Errors: every fallible function of the project returns Result<T>. Exceptions stay inside the module whose
//         library throws them. A bug (broken invariant) aborts.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace fsadvise {

// Each code has one documented exit status, see exit_status().
enum class ErrorCode {
    kUsage,        // the command line is wrong                      -> 2
    kBadInput,     // a file or document is malformed                -> 3
    kUnavailable,  // this machine cannot do it (root, tool, device) -> 4
    kRunFailed,    // the run broke, partial results are kept        -> 5
    kInterrupted,  // SIGINT or SIGTERM                              -> 130 / 143
};

struct Error {
    ErrorCode code = ErrorCode::kRunFailed;
    std::string message;  // what failed and why, one line, no trailing period
    std::string context;  // on what: file with line or JSON pointer, device, command; may be empty
    std::string hint;     // what to do next; may be empty
};

template <class T = void>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string context = {},
                                  std::string hint = {}) {
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(context), std::move(hint)});
}

// Exit status of the process for an error that reached main (interrupts: see cli/main.cpp).
int exit_status(ErrorCode code);

// "context: message (hint)", one line for people.
std::string to_text(const Error& error);

// Text of an errno value, thread-safe.
std::string errno_text(int number);

}  // namespace fsadvise

// Evaluates a Result expression; returns its error from the enclosing function, or binds the value.
#define FSADVISE_CONCAT_(a, b) a##b
#define FSADVISE_CONCAT(a, b) FSADVISE_CONCAT_(a, b)
#define FSADVISE_TRY(expression)                                                       \
    do {                                                                               \
        auto&& fsadvise_try_ = (expression);                                           \
        if (!fsadvise_try_) return ::tl::unexpected(std::move(fsadvise_try_.error())); \
    } while (false)
#define FSADVISE_ASSIGN_IMPL_(temporary, declaration, expression)          \
    auto temporary = (expression);                                         \
    if (!temporary) return ::tl::unexpected(std::move(temporary.error())); \
    declaration = std::move(*temporary)
#define FSADVISE_ASSIGN(declaration, expression) \
    FSADVISE_ASSIGN_IMPL_(FSADVISE_CONCAT(fsadvise_result_, __LINE__), declaration, expression)
