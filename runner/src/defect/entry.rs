//! [`Defect`]: one entry of the catalogue.

use super::catalogue::catalogue;
use crate::model::DefectId;
use crate::oracle::Behaviour;

/// One named wrong behaviour.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// Its name, as fixtures, reports and known.yaml cite it.
    pub name: &'static str,
    /// What a client with it does, as the end of "the client …".
    pub does: &'static str,
    /// The change to a behaviour.
    pub bend: fn(&mut Behaviour),
}

impl Defect {
    /// Its name as an id.
    pub fn id(&self) -> DefectId {
        DefectId::from(self.name)
    }

    /// The specified behaviour with this change.
    pub fn behaviour(&self) -> Behaviour {
        let mut behaviour = Behaviour::default();
        (self.bend)(&mut behaviour);
        behaviour
    }
}

/// The defect of that name.
pub fn find(name: &str) -> Option<&'static Defect> {
    catalogue().iter().find(|defect| defect.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_every_defect_changes_something() {
        let names: BTreeSet<_> = catalogue().iter().map(|defect| defect.name).collect();
        assert_eq!(names.len(), catalogue().len());
        for defect in catalogue() {
            assert_ne!(defect.behaviour(), Behaviour::default(), "{}", defect.name);
        }
    }

    #[test]
    fn an_unknown_name_finds_nothing() {
        assert!(find("ignored-at-503").is_some());
        assert!(find("ignored-at-999").is_none());
    }
}
