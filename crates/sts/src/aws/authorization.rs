//! The `Authorization` header of Signature Version 4.

/// The only algorithm that is accepted. Signatures of version 4A are for requests to several regions, which this one is not.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Which headers the signature is over, in lower case; otherwise what is wrong with the header.
///
/// The header is `AWS4-HMAC-SHA256 Credential=ID/DATE/REGION/sts/aws4_request, SignedHeaders=A;B, Signature=HEX`: each part once, in
/// any order. Whether the signature is right only AWS can tell.
pub(super) fn signed_headers(header: &str) -> Result<Vec<&str>, &'static str> {
    let (algorithm, parts) = header.split_once(' ').unwrap_or((header, ""));
    if algorithm != ALGORITHM {
        return Err("its Authorization is not AWS4-HMAC-SHA256");
    }
    let (mut credential, mut signed, mut signature) = (None, None, None);
    for part in parts.split(',') {
        let (name, value) = part.trim_matches(' ').split_once('=').unwrap_or_default();
        let place = match name {
            "Credential" => &mut credential,
            "SignedHeaders" => &mut signed,
            "Signature" => &mut signature,
            _ => return Err("its Authorization has parts that Signature Version 4 does not know"),
        };
        if place.replace(value).is_some() {
            return Err("its Authorization has a part twice");
        }
    }
    let (Some(credential), Some(signed), Some(signature)) = (credential, signed, signature) else {
        return Err("its Authorization lacks Credential, SignedHeaders or Signature");
    };
    if !is_credential(credential) {
        return Err("its Credential is not for the service sts");
    }
    if signature.len() != 64 || !signature.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err("its Signature is not 64 digits of hexadecimal");
    }
    let names: Vec<_> = signed.split(';').collect();
    // As the algorithm has it: in lower case and in order, which also means that there is none twice.
    let are_ordered = names.is_sorted_by(|name, next| name < next);
    let is_name = |name: &&str| !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if are_ordered && names.iter().all(is_name) { Ok(names) } else { Err("its SignedHeaders are not names in order") }
}

/// `ID/DATE/REGION/sts/aws4_request`
fn is_credential(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match text.split('/').collect::<Vec<_>>()[..] {
        [id, date, region, "sts", "aws4_request"] => is_word(id) && is_word(date) && is_word(region),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/sts/aws4_request, SignedHeaders=host;x-amz-date, \
                        Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn each_part_is_there_once() {
        assert_eq!(signed_headers(GOOD), Ok(vec!["host", "x-amz-date"]));
        assert_eq!(signed_headers(&GOOD.replace(", ", ",")), Ok(vec!["host", "x-amz-date"]));
        for (from, to) in [
            ("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
            ("AWS4-HMAC-SHA256 ", ""),
            ("/sts/", "/s3/"),
            ("/sts/aws4_request", "/sts"),
            ("AKID/", "/"),
            ("SignedHeaders=", "signedheaders="),
            ("SignedHeaders=host;x-amz-date, ", ""),
            (", Signature=", ", SignedHeaders=host;x-amz-date, Signature="),
            ("host;x-amz-date", "x-amz-date;host"),
            ("host;x-amz-date", "host;host;x-amz-date"),
            ("host;x-amz-date", "Host;x-amz-date"),
            ("host;x-amz-date", "host; x-amz-date"),
            ("host;x-amz-date", ";host;x-amz-date"),
            ("0123456789abcdef0", "0123456789ABCDEF0"),
            ("0123456789abcdef0", "0"),
        ] {
            let bad = GOOD.replace(from, to);
            assert!(bad != GOOD && signed_headers(&bad).is_err(), "{bad}");
        }
    }
}
