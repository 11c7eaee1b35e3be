//! Page tokens: where a list goes on, sealed so that only this installation can make or read one (AIP-158).

use std::{fmt, sync::Arc};

use aws_lc_rs::digest;
use domain::{
    Ctx, ListRequest, Page, Result, Rule, Scopes, Timestamp, Uidp,
    list::{ParentFilter, page_token_refused},
    ports::Seal,
};
use store::{Cursor, CursorKey, Filter, ListQuery, Listed};

/// How long a page token is good for. An older one starts again from the beginning.
pub const LIFETIME_SECONDS: i64 = 3 * 24 * 60 * 60;

const PURPOSE: &str = "page-token";
const VERSION: u8 = 1;

/// Makes and reads page tokens.
#[derive(Clone)]
pub struct PageTokens {
    seal: Arc<dyn Seal>,
}

/// What a token is bound to: the method, the filters and the order of its list. Texts are length-prefixed before they
/// are hashed, so no two lists share a fingerprint by chance of concatenation.
struct Fingerprint(digest::Context);

impl Fingerprint {
    /// The part that all lists share.
    fn new(ctx: &Ctx, request: &ListRequest) -> Self {
        let filter = &request.uidp;
        let children_of = filter.children_of.as_ref().map(|parent| match parent {
            ParentFilter::Root => Uidp::ROOT,
            ParentFilter::At(uidp) => uidp.as_str(),
        });
        let ids: Vec<_> = filter.ids.iter().map(Uidp::as_str).collect();
        Self(digest::Context::new(&digest::SHA256))
            .text(Some(ctx.method))
            .text(filter.ancestors_of.as_ref().map(Uidp::as_str))
            .text(filter.descendants_of.as_ref().map(Uidp::as_str))
            .text(children_of)
            .text(filter.in_root.then_some("in_root"))
            .text(Some(&ids.join(" ")))
            .text(Some(&format!("{:?} {}", request.order.field, request.order.descending)))
    }

    /// Adds a part. Absent and empty differ.
    fn text(mut self, text: Option<&str>) -> Self {
        match text {
            None => self.0.update(&[0]),
            Some(text) => {
                self.0.update(&[1]);
                self.0.update(&(text.len() as u64).to_be_bytes());
                self.0.update(text.as_bytes());
            }
        }
        self
    }

    /// Adds the conditions of the noun's own filter.
    fn terms(self, filter: &impl Filter) -> Result<Self> {
        filter.terms().iter().try_fold(self, |bound, term| Ok(bound.text(Some(&term.text()?))))
    }

    fn finish(self) -> [u8; 32] {
        let digest = self.0.finish();
        let mut bytes = [0; 32];
        bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        bytes
    }
}

/// A list request whose token was read, on its way through the store.
#[derive(Debug)]
pub(crate) struct Paging {
    fingerprint: [u8; 32],
    now: Timestamp,
}

impl PageTokens {
    /// Tokens sealed with `seal`.
    pub fn new(seal: Arc<dyn Seal>) -> Self {
        Self { seal }
    }

    /// The query that a list request stands for: everywhere the caller holds the method's capabilities, going on where
    /// the request's token says.
    ///
    /// # Errors
    /// Invalid argument when the token was altered, made elsewhere, or belongs to a list with other filters or order.
    pub(crate) fn query<F: Filter>(&self, ctx: &Ctx, request: &ListRequest, filter: F) -> Result<(ListQuery<F>, Paging)> {
        self.query_within(ctx, ctx.scopes(), request, filter)
    }

    /// The same query of these places, whatever the caller holds there.
    ///
    /// # Errors
    /// As [`PageTokens::query`].
    pub(crate) fn query_within<F: Filter>(
        &self,
        ctx: &Ctx,
        scopes: Arc<Scopes>,
        request: &ListRequest,
        filter: F,
    ) -> Result<(ListQuery<F>, Paging)> {
        let fingerprint = Fingerprint::new(ctx, request).terms(&filter)?.finish();
        let paging = Paging { fingerprint, now: ctx.now };
        let cursor = self.open(&request.page_token, &paging)?;
        let query = ListQuery::new(scopes, request, cursor, filter);
        Ok((query, paging))
    }

    /// The page that the store's answer makes.
    ///
    /// # Errors
    /// Internal when the seal fails.
    pub(crate) fn page<T>(&self, listed: Listed<T>, paging: &Paging) -> Result<Page<T>> {
        let next_page_token = match &listed.next {
            Some(cursor) => self.seal.seal(PURPOSE, &encode(cursor, paging))?,
            None => String::new(),
        };
        Ok(Page { items: listed.items, next_page_token, total: listed.total, skipped: listed.skipped })
    }

    fn open(&self, token: &str, paging: &Paging) -> Result<Option<Cursor>> {
        if token.is_empty() {
            return Ok(None);
        }
        let plain = self.seal.open(PURPOSE, token).ok_or_else(|| page_token_refused(Rule::PageToken))?;
        let sealed = decode(&plain).ok_or_else(|| page_token_refused(Rule::PageToken))?;
        if sealed.issued_at.plus_seconds(LIFETIME_SECONDS) < paging.now {
            return Ok(None);
        }
        if sealed.fingerprint != paging.fingerprint {
            return Err(page_token_refused(Rule::PageTokenMismatch));
        }
        Ok(Some(sealed.cursor))
    }
}

impl fmt::Debug for PageTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageTokens").finish_non_exhaustive()
    }
}

/// The plain content of a token.
struct Sealed {
    issued_at: Timestamp,
    fingerprint: [u8; 32],
    cursor: Cursor,
}

/// Version, time of issue, fingerprint, uid (length first), then the key: its kind and its value.
fn encode(cursor: &Cursor, paging: &Paging) -> Vec<u8> {
    let uid = cursor.uid.as_str().as_bytes();
    let mut plain = vec![VERSION];
    plain.extend_from_slice(&paging.now.0.to_be_bytes());
    plain.extend_from_slice(&paging.fingerprint);
    plain.extend_from_slice(&(uid.len() as u64).to_be_bytes());
    plain.extend_from_slice(uid);
    match &cursor.key {
        CursorKey::Uid => plain.push(0),
        CursorKey::Name(name) => {
            plain.push(1);
            plain.extend_from_slice(name.as_bytes());
        }
        CursorKey::Time(at) => {
            plain.push(2);
            plain.extend_from_slice(&at.0.to_be_bytes());
        }
    }
    plain
}

fn decode(plain: &[u8]) -> Option<Sealed> {
    let (version, plain) = plain.split_first_chunk::<1>()?;
    let (issued_at, plain) = plain.split_first_chunk::<8>()?;
    let (fingerprint, plain) = plain.split_first_chunk::<32>()?;
    let (length, plain) = plain.split_first_chunk::<8>()?;
    let (uid, plain) = plain.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)?;
    let (kind, key) = plain.split_first()?;
    let key = match kind {
        0 if key.is_empty() => CursorKey::Uid,
        1 => CursorKey::Name(std::str::from_utf8(key).ok()?.into()),
        2 => CursorKey::Time(Timestamp(i64::from_be_bytes(key.try_into().ok()?))),
        _ => return None,
    };
    let uid: Uidp = std::str::from_utf8(uid).ok()?.parse().ok()?;
    let issued_at = Timestamp(i64::from_be_bytes(*issued_at));
    (version == &[VERSION]).then_some(Sealed { issued_at, fingerprint: *fingerprint, cursor: Cursor { key, uid } })
}

/// What a token's plain content says, written anew; `None` when it is no token's. For fuzzing: it must be the same bytes.
#[must_use]
pub fn rewritten(plain: &[u8]) -> Option<Vec<u8>> {
    let Sealed { issued_at, fingerprint, cursor } = decode(plain)?;
    Some(encode(&cursor, &Paging { fingerprint, now: issued_at }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cursor() -> impl Strategy<Value = Cursor> {
        let key = prop_oneof![
            Just(CursorKey::Uid),
            "\\PC{0,40}".prop_map(CursorKey::Name),
            any::<i64>().prop_map(|at| CursorKey::Time(Timestamp(at))),
        ];
        let uid = (any::<[u8; 20]>(), prop::collection::vec(any::<[u8; 8]>(), 0..4));
        let uid = uid.prop_map(|(root, below)| below.into_iter().fold(Uidp::root_from(root), |uid, part| uid.child(part)));
        (key, uid).prop_map(|(key, uid)| Cursor { key, uid })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(cursor in cursor(), fingerprint: [u8; 32], now: i64) {
            let plain = encode(&cursor, &Paging { fingerprint, now: Timestamp(now) });
            let read = decode(&plain).expect("it reads back");
            prop_assert_eq!((read.issued_at.0, read.fingerprint, &read.cursor), (now, fingerprint, &cursor));
            if !matches!(cursor.key, CursorKey::Name(_)) {
                prop_assert!((0..plain.len()).all(|end| decode(&plain[..end]).is_none()), "a part is no token");
            }
        }

        #[test]
        fn bytes_never_confuse_the_reader(plain in prop::collection::vec(any::<u8>(), 0..120)) {
            let _ = decode(&plain);
        }
    }
}
