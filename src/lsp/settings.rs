//! What a person sets in the editor.

use serde_json::Value;

use super::text::Encoding;

/// All settings, by their names in the section `terrace`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `flags`: for C's preprocessor, and those of `terrace cc`.
    pub flags: Vec<String>,
    /// `targetArch`: the architectures of kernels, `sm_90` or several with commas.
    pub arch: String,
    /// `auto`: look for regions outside directives too.
    pub auto: bool,
    /// `sizes`: values of variables and dimensions for the cost model.
    pub sizes: Vec<(String, i64)>,
    /// `allowUnregisteredDialects`: MLIR may have ops that terrace does not know.
    pub allow_unregistered: bool,
    /// `remarks`: what becomes of C's loops is shown among the diagnostics.
    pub remarks: bool,
    /// `opensDocuments`: the client shows what `terrace.becomes` gives by itself.
    pub opens_documents: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            flags: Vec::new(),
            arch: "sm_90".to_string(),
            auto: false,
            sizes: Vec::new(),
            allow_unregistered: false,
            remarks: true,
            opens_documents: false,
        }
    }
}

impl Settings {
    /// From a client's object. What is not set is as before; what is wrong is said, and left as before.
    pub fn update(&mut self, given: &Value) -> Vec<String> {
        let given = given.get("terrace").unwrap_or(given);
        let mut wrong = Vec::new();
        let Value::Object(given) = given else {
            return wrong;
        };
        for (name, value) in given {
            let expected = match name.as_str() {
                "flags" => words(value).map(|w| self.flags = w).err(),
                "targetArch" => text(value).map(|a| self.arch = a).err(),
                "auto" => flag(value).map(|f| self.auto = f).err(),
                "sizes" => sizes(value).map(|s| self.sizes = s).err(),
                "allowUnregisteredDialects" => {
                    flag(value).map(|f| self.allow_unregistered = f).err()
                }
                "remarks" => flag(value).map(|f| self.remarks = f).err(),
                "opensDocuments" => flag(value).map(|f| self.opens_documents = f).err(),
                // Settings of an editor's extension are its own affair.
                _ => None,
            };
            if let Some(expected) = expected {
                wrong.push(format!(
                    "terrace.{name}: found `{value}`, expected {expected}"
                ));
            }
        }
        wrong
    }
}

fn flag(v: &Value) -> Result<bool, &'static str> {
    v.as_bool().ok_or("true or false")
}

fn text(v: &Value) -> Result<String, &'static str> {
    v.as_str().map(str::to_string).ok_or("a text")
}

fn words(v: &Value) -> Result<Vec<String>, &'static str> {
    let all = v.as_array().ok_or("a list of texts")?;
    let words = all.iter().map(|w| w.as_str().map(str::to_string));
    words.collect::<Option<_>>().ok_or("a list of texts")
}

fn sizes(v: &Value) -> Result<Vec<(String, i64)>, &'static str> {
    let expected = "whole numbers by name, as {\"n\": 1000}";
    let all = v.as_object().ok_or(expected)?;
    let sizes = all
        .iter()
        .map(|(name, n)| Some((name.clone(), n.as_i64()?)));
    sizes.collect::<Option<_>>().ok_or(expected)
}

/// What columns count, by what the client offers.
pub fn encoding(offered: Option<&[lsp_types::PositionEncodingKind]>) -> Encoding {
    let utf8 = lsp_types::PositionEncodingKind::UTF8;
    match offered.is_some_and(|all| all.contains(&utf8)) {
        true => Encoding::Utf8,
        false => Encoding::Utf16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_said_and_the_rest_is_taken() {
        let mut s = Settings::default();
        let said =
            s.update(&json!({"terrace": {"auto": 1, "sizes": {"n": 8}, "flags": ["-DN=1"]}}));
        assert_eq!(said, ["terrace.auto: found `1`, expected true or false"]);
        assert_eq!(s.sizes, [("n".to_string(), 8)]);
        assert_eq!(s.flags, ["-DN=1"]);
        assert!(!s.auto);
    }
}
