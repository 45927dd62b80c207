//! `adapters/protocol.schema.json`: the protocol for those who write adapters
//! in other languages.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::protocol::{FromAdapter, PROTOCOL_VERSION, ToAdapter};

/// The JSON Schema of one line of the protocol, in either direction, as it is
/// checked in: pretty-printed, with a newline at the end.
///
/// `#/$defs/ToAdapter` and `#/$defs/FromAdapter` are the two directions; the
/// line tag in front of what an adapter writes is not part of the JSON.
pub fn protocol_schema() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let directions = [
        generator.subschema_for::<ToAdapter>(),
        generator.subschema_for::<FromAdapter>(),
    ];
    let definitions: Value = generator.take_definitions(true).into();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Holdoff adapter protocol, version {PROTOCOL_VERSION}"),
        "description": "One JSON line of the protocol. Generated from runner/src/adapter/protocol.rs.",
        "anyOf": directions,
        "$defs": definitions,
    });
    format!("{schema:#}\n")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_published_schema_is_the_generated_one() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/protocol.schema.json");
        let generated = protocol_schema();
        if std::env::var_os("HOLDOFF_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &generated).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap();
        assert!(
            published == generated,
            "adapters/protocol.schema.json is stale; write it with \
             HOLDOFF_WRITE_SCHEMAS=1 cargo test -p holdoff schema",
        );
    }

    #[test]
    fn both_directions_know_their_messages() {
        let schema: Value = serde_json::from_str(&protocol_schema()).unwrap();
        for (direction, message) in [("ToAdapter", "slept"), ("FromAdapter", "sleep")] {
            let list = schema["$defs"][direction]["oneOf"].as_array().unwrap();
            assert!(
                list.iter()
                    .any(|entry| entry["properties"]["type"]["const"] == message),
                "{direction} has no {message}"
            );
        }
    }
}
