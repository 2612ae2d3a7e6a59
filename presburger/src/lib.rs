//! presburger
