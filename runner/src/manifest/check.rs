//! What commands of a manifest may not be.

use super::launch::{PLACEHOLDERS, next_placeholder};
use crate::diagnostic::{Diagnostic, nearest};
use crate::yaml::{Node, Reader};

/// Programs that start another one: killing them leaves it behind, and some
/// download what they run.
const WRAPPERS: [&str; 17] = [
    "bash", "bunx", "bundle", "cmd", "env", "gradle", "make", "mvn", "npm", "npx", "pipx", "pnpm",
    "poetry", "sh", "uv", "uvx", "yarn",
];

/// Programs that build before they run, with the argument that makes them.
const BUILDERS: [(&str, &str); 3] = [("go", "run"), ("cargo", "run"), ("dotnet", "run")];

/// Checks placeholders and paths of one argument.
pub(super) fn argument(reader: &Reader<'_, '_>, node: &Node, text: &str) -> Option<String> {
    if text.starts_with('/') || text.split(['/', '\\']).any(|part| part == "..") {
        let error = reader
            .at(node, "a path outside of the adapter's folder")
            .found(text);
        return reader.note(error.hint("use {build}, or a path below the folder of adapter.yaml"));
    }
    placeholders(reader, node, text)
}

/// Checks the placeholders of a text.
pub(super) fn placeholders(reader: &Reader<'_, '_>, node: &Node, text: &str) -> Option<String> {
    let mut rest = text;
    while let Some((_, name, after)) = next_placeholder(rest) {
        if !PLACEHOLDERS.contains(&name) {
            let error = reader
                .at(node, "unknown placeholder")
                .found(format!("{{{name}}}"));
            let error = error.allowed(PLACEHOLDERS.map(|name| format!("{{{name}}}")));
            let hint =
                nearest(name, PLACEHOLDERS).map(|name| format!("did you mean `{{{name}}}`?"));
            return reader.note(Diagnostic { hint, ..error });
        }
        rest = after;
    }
    Some(text.to_owned())
}

/// Checks that a command starts the adapter itself.
pub(super) fn starts_directly(
    reader: &Reader<'_, '_>,
    node: &Node,
    command: &[String],
) -> Option<()> {
    let program = command.first()?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let builds = BUILDERS
        .iter()
        .any(|(builder, word)| name == *builder && command.get(1).is_some_and(|next| next == word));
    let compiles = name == "java" && command.iter().any(|argument| argument.ends_with(".java"));
    if !builds && !compiles && !WRAPPERS.contains(&name) {
        return Some(());
    }
    let message = if builds || compiles {
        "a command never builds"
    } else {
        "a command never wraps another one"
    };
    let error = reader.at(node, message).found(command.join(" "));
    reader.note(error.hint("build with `build:` into {build}, and start the program itself"))
}
