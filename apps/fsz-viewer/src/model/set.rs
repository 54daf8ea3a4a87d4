//! The fields that are looked at together.

use fsz::Bound;
use fsz_metrics::Limit;

use crate::model::document::Document;

/// What a field is here for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A compressed field, or whatever is opened first.
    Subject,
    /// The original of the subject.
    Original,
    /// Another reconstruction of the original.
    Other,
}

/// The fields that are looked at together.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// Before compression.
    pub original: Option<Document>,
    /// The reconstruction.
    pub subject: Option<Document>,
    /// Another reconstruction.
    pub other: Option<Document>,
}

impl Set {
    /// The field that decides on shape and planes.
    pub fn leader(&self) -> Option<&Document> {
        self.subject.as_ref().or(self.original.as_ref())
    }

    /// What each value of the subject keeps.
    pub fn limit(&self) -> Option<Limit> {
        let facts = self.subject.as_ref()?.facts.as_ref();
        match facts.map(|facts| facts.header.bound) {
            Some(Bound::Relative { eps, floor }) => Some(Limit { absolute: floor, relative: eps }),
            _ => self.bound().map(Limit::from),
        }
    }

    /// The absolute bound of the subject.
    pub fn bound(&self) -> Option<f64> {
        let subject = self.subject.as_ref()?;
        let fsz1 = subject.fsz1.as_ref().map(|facts| facts.bound);
        let facts = subject.facts.as_ref().map(|f| f.header.absolute_bound);
        facts.or(fsz1).or(subject.decoded_bound)
    }

    /// What the two reconstructions are called: the names of their codecs, where these differ.
    pub fn codecs(&self) -> [String; 2] {
        let documents = [self.subject.as_ref(), self.other.as_ref()];
        let codecs = documents.map(|d| d.and_then(Document::codec));
        let names = match codecs[0] == codecs[1] {
            true => documents.map(|d| d.map(|d| d.title.as_str())),
            false => [0, 1].map(|i| codecs[i].or(documents[i].map(|d| d.title.as_str()))),
        };
        names.map(|name| name.unwrap_or("Reconstruction").to_owned())
    }
}
