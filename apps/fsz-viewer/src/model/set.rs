//! The fields that are looked at together.

use fsz::{Bound, Dense, Profile};
use fsz_metrics::Limit;

use crate::model::document::Document;
use crate::model::regions::{self, Regions};

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

    /// What each value of the subject keeps, outside of its regions.
    pub fn limit(&self) -> Option<Limit> {
        let facts = self.subject.as_ref()?.facts.as_ref();
        match facts.map(|facts| facts.header.bound) {
            Some(bound @ Bound::Relative { .. }) => Some(regions::limit(bound, 0.0)),
            _ => self.bound().map(Limit::from),
        }
    }

    /// What all values of the subject keep; none where regions have bounds of their own.
    pub fn common_limit(&self) -> Option<Limit> {
        self.limit().filter(|_| self.regions().is_none())
    }

    /// What the value of the subject at a position in C order keeps.
    pub fn limit_at(&self, position: u64) -> Option<Limit> {
        let outside = self.limit()?;
        let Some(regions) = self.regions() else { return Some(outside) };
        let shape = self.subject.as_ref()?.grid.shape();
        Some(regions.limit(regions.at(shape, position), outside))
    }

    /// The parts of the subject that keep bounds of their own, if it has some.
    pub fn regions(&self) -> Option<&Regions> {
        let facts = self.subject.as_ref()?.facts.as_ref()?;
        Some(&facts.regions).filter(|regions| !regions.is_empty())
    }

    /// The absolute bound of the subject.
    pub fn bound(&self) -> Option<f64> {
        let subject = self.subject.as_ref()?;
        let fsz1 = subject.fsz1.as_ref().map(|facts| facts.bound);
        let facts = subject.facts.as_ref().map(|f| f.header.absolute_bound);
        facts.or(fsz1).or(subject.decoded_bound)
    }

    /// The profile and the bound by which the original, or a part of it, would be compressed as the subject was.
    pub fn coding(&self) -> Option<(Profile, Bound)> {
        let Some(facts) = &self.subject.as_ref()?.facts else {
            return Some((Profile::default(), Bound::Absolute(self.bound()?)));
        };
        let header = &facts.header;
        let profile = match header.profile {
            // A part may be of another layout.
            Profile::Dense(_) => Profile::Dense(Dense::new()),
            _ => Profile::default(),
        };
        let bound = match header.bound {
            Bound::Relative { .. } => header.bound,
            // A field of one value has a bound of 0 as a share of its range, and no absolute one.
            _ if header.absolute_bound == 0.0 => header.bound,
            _ => Bound::Absolute(header.absolute_bound),
        };
        Some((profile, bound))
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
