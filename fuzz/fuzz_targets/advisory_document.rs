//! Documents of others. Whatever is read says something about so many packages at most, and no two of its parts are the same.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|document: &[u8]| {
    let Ok(record) = formats::read(document) else { return };
    assert!(!record.id.is_empty(), "a record has an id");
    assert!((1..=formats::PARTS).contains(&record.parts.len()), "it has {} parts", record.parts.len());
    let keys: BTreeSet<_> = record.parts.iter().map(|part| &part.key).collect();
    assert_eq!(keys.len(), record.parts.len(), "each part is there once");
    for part in &record.parts {
        assert!(!part.events.is_empty(), "something has happened");
        assert!(part.events.is_sorted_by_key(|event| event.at), "the oldest comes first");
    }
    assert_eq!(formats::read(document).as_ref(), Ok(&record), "the same document says the same");
});
