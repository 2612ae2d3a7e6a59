//! local placeholder
pub struct Translated {
    pub text: String,
    pub object: Vec<u8>,
    pub messages: String,
    pub kept: Vec<(String, String)>,
}
pub struct TranslateOptions {
    pub file: String,
    pub arch: String,
    pub gpu: bool,
    pub auto: bool,
    pub this_cpu: bool,
    pub notes: bool,
    pub keep: bool,
}
pub struct TranslateError {
    pub syntax: bool,
    pub text: String,
}
pub fn translate(
    _text: String,
    _o: &TranslateOptions,
) -> Result<Option<Translated>, TranslateError> {
    Ok(None)
}
