pub struct PatternSet;
