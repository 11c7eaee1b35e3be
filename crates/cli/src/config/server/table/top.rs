//! The keys at the top of `provost.toml`.

use super::super::{
    Default, Key, Kind,
    parse::{address, each, one, or_off, path, provider, switch, terms, text, token_algorithm},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "dev",
        flag: "dev",
        variable: "PROVOST_DEV",
        kind: Kind::Switch,
        value: "BOOL",
        default: Default::Is("false"),
        summary: "Development mode: this machine only, with an identity provider and a first organization of its own",
        apply: |settings, texts| one(texts, switch).map(|on| settings.dev = on),
        ..Key::BASE
    },
    Key {
        path: "listen",
        flag: "listen",
        variable: "PROVOST_LISTEN",
        kind: Kind::List,
        value: "ADDRESS:PORT",
        default: Default::Is("127.0.0.1:8080"),
        summary: "Address and port to listen on; port 0 lets the system choose",
        more: "Several addresses serve the same API.",
        apply: |settings, texts| {
            settings.listen = each(texts, address)?;
            if settings.listen.is_empty() { Err("names no address".to_owned()) } else { Ok(()) }
        },
        ..Key::BASE
    },
    Key {
        path: "data",
        flag: "data",
        variable: "PROVOST_DATA",
        value: "FOLDER",
        default: Default::Is("./provost-data"),
        summary: "The data folder",
        more: "It is created, accessible to its owner only, if it does not exist.",
        data: true,
        apply: |settings, texts| one(texts, path).map(|folder| settings.data = folder),
        ..Key::BASE
    },
    Key {
        path: "key-file",
        flag: "key-file",
        variable: "PROVOST_KEY_FILE",
        value: "FILE",
        default: Default::None("`key` in the data folder"),
        summary: "The file with the key-encryption key; created on first use; `key` in the data folder by default",
        more: "32 bytes, raw, in hex or in Base64. It must not be readable by others. Whoever has it and the database can sign tokens; \
               without it, the database is of no use.",
        data: true,
        apply: |settings, texts| one(texts, path).map(|file| settings.key_file = Some(file)),
        ..Key::BASE
    },
    Key {
        path: "base-url",
        flag: "base-url",
        variable: "PROVOST_BASE_URL",
        value: "URL",
        default: Default::None("none; required outside dev mode"),
        summary: "The https URL under which clients reach the server; required without --dev",
        more: "Tokens for the API have it as their audience, byte for byte. It is an origin: scheme, host and port alone.",
        data: true,
        apply: |settings, texts| one(texts, text).map(|url| settings.base_url = Some(url)),
        ..Key::BASE
    },
    Key {
        path: "auth-url",
        flag: "auth-url",
        variable: "PROVOST_AUTH_URL",
        value: "URL",
        default: Default::None("the base URL"),
        summary: "The https URL of the token issuer, if it is another than the base URL",
        more: "Tokens have it as their issuer, and discovery document and keys must be reachable below it. It is an origin, and leads \
               to this server like the base URL. A claim match without audience expects this URL or its host name.",
        data: true,
        apply: |settings, texts| one(texts, text).map(|url| settings.auth_url = Some(url)),
        ..Key::BASE
    },
    Key {
        path: "registry-host",
        flag: "registry-host",
        variable: "PROVOST_REGISTRY_HOST",
        value: "HOST",
        default: Default::None("host and port of the base URL"),
        summary: "The registry's host name, if it is another than that of the base URL",
        more: "Tokens for the registry have it as their audience.",
        data: true,
        apply: |settings, texts| one(texts, text).map(|host| settings.registry_host = Some(host)),
        ..Key::BASE
    },
    Key {
        path: "token-algorithm",
        flag: "token-algorithm",
        variable: "PROVOST_TOKEN_ALGORITHM",
        value: "ALGORITHM",
        default: Default::None("ES256"),
        summary: "Signature algorithm of tokens: ES256 or RS256",
        more: "The published service signs with RS256, and some verifiers expect that without reading the discovery document. It costs \
               more: signing takes ten times as long, and tokens are longer. Keys of both kinds are published and rotated alike, so \
               tokens stay good when this changes; the first key of another kind signs two minutes after it was published.",
        data: true,
        apply: |settings, texts| one(texts, token_algorithm).map(|algorithm| settings.token_algorithm = Some(algorithm)),
        ..Key::BASE
    },
    Key {
        path: "identity-providers",
        flag: "identity-provider",
        variable: "PROVOST_IDENTITY_PROVIDERS",
        kind: Kind::Providers,
        value: "URL",
        default: Default::Is(""),
        summary: "Issuer whose users may log in without naming an identity; may be repeated",
        more: "In the file an entry may be a table with `issuer` and `audiences`, the audiences that its tokens may have; elsewhere \
               the audiences follow the issuer, with blanks between them. Without audiences, tokens must be for the issuer URL of \
               this server or its host name.",
        apply: |settings, texts| each(texts, provider).map(|providers| settings.providers = providers),
        ..Key::BASE
    },
    Key {
        path: "terms",
        flag: "terms",
        variable: "PROVOST_TERMS",
        kind: Kind::Terms,
        value: "DOCUMENT",
        default: Default::Is(""),
        summary: "Legal document that organizations have to accept, and the methods that require it; may be repeated",
        more: "In the file an entry is a table with `id`, `label` (its title), `url` (https, where it is read) and `methods`; elsewhere \
               these have `|` between them, and methods a blank. There are at most 32 documents. A method is written as in \
               docs/api/methods.txt, `package.Service/Method`; each version of the API has methods of its own, and the paths \
               `/v2/…` are those of v2beta1. It can be any that is `scoped` there: what acts at no group, such as a list of all \
               repositories, cannot need a document. Until it is accepted in the name of the group that a request acts in, or of one \
               above it, the request is refused with `TermsNotAcceptedDetail`, also for operators; users, who are in no group, \
               cannot have it accepted for them. A document without methods can be accepted and is needed by nothing. An acceptance \
               stays when its document is not named any more.",
        apply: |settings, texts| each(texts, terms).map(|documents| settings.terms = documents),
        ..Key::BASE
    },
    Key {
        path: "trusted-proxies",
        flag: "trusted-proxies",
        variable: "PROVOST_TRUSTED_PROXIES",
        kind: Kind::List,
        value: "NETWORK",
        default: Default::Is(""),
        summary: "Addresses of proxies that are trusted to name the client's address; may be repeated",
        more: "Addresses or blocks such as `10.0.0.0/8`. The client is the last address in the forwarding header that is not itself \
               a trusted proxy. Nothing else is taken from forwarding headers.",
        apply: |settings, texts| {
            let network = |text: &str| text.parse().map_err(|error: domain::NotANetwork| error.to_string());
            each(texts, network).map(|networks| settings.trusted_proxies.networks = networks)
        },
        ..Key::BASE
    },
    Key {
        path: "forwarding-header",
        flag: "forwarding-header",
        variable: "PROVOST_FORWARDING_HEADER",
        value: "HEADER",
        default: Default::Is("x-forwarded-for"),
        summary: "The header in which trusted proxies name the client: x-forwarded-for or forwarded",
        more: "Only this one is read: proxies pass the other on as the client sent it.",
        apply: |settings, texts| {
            use gateway::settings::ForwardingHeader::{Forwarded, XForwardedFor};
            let header = |text: &str| match text.to_ascii_lowercase().as_str() {
                "x-forwarded-for" => Ok(XForwardedFor),
                "forwarded" => Ok(Forwarded),
                _ => Err(format!("{text:?} is neither x-forwarded-for nor forwarded")),
            };
            one(texts, header).map(|header| settings.trusted_proxies.header = header)
        },
        ..Key::BASE
    },
    Key {
        path: "metrics-listen",
        flag: "metrics-listen",
        variable: "PROVOST_METRICS_LISTEN",
        value: "ADDRESS:PORT",
        default: Default::InDev("127.0.0.1:9464", "off"),
        summary: "Address and port for /metrics, separate from the API, or off",
        apply: |settings, texts| one(texts, |text| or_off(text, address)).map(|at| settings.metrics_listen = at),
        ..Key::BASE
    },
];
