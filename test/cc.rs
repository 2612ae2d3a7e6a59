//! `terrace cc` beside the system's compiler: what it makes, says and returns.

#[path = "cc/folder.rs"]
mod folder;
#[path = "cc/plain.rs"]
mod plain;
