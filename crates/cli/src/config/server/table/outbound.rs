//! Section `[outbound]`: requests to identity providers and clouds.

use sts::issuers::{NotAPlace, Place, Places};

use super::super::{
    Default, Key, Kind,
    parse::{duration, each, one, switch, text},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "outbound.allow-private-addresses",
        flag: "allow-private-addresses",
        variable: "PROVOST_ALLOW_PRIVATE_ADDRESSES",
        kind: Kind::Switch,
        value: "BOOL",
        default: Default::Is("false"),
        summary: "Allow identity providers with private addresses",
        more: "Link-local addresses, where clouds keep their metadata, stay refused.",
        apply: |settings, texts| one(texts, switch).map(|on| settings.outbound.allow_private_addresses = on),
        ..Key::BASE
    },
    Key {
        path: "outbound.allow",
        flag: "outbound-allow",
        variable: "PROVOST_OUTBOUND_ALLOW",
        kind: Kind::List,
        value: "PLACE",
        default: Default::Is(""),
        summary: "Only connect to identity providers here: a host, *.domain or a network; may be repeated",
        more: "Empty: everywhere. A network also admits the private addresses in it; a host does not.",
        apply: |settings, texts| each(texts, place).map(|places| settings.outbound.allow = Places(places)),
        ..Key::BASE
    },
    Key {
        path: "outbound.deny",
        flag: "outbound-deny",
        variable: "PROVOST_OUTBOUND_DENY",
        kind: Kind::List,
        value: "PLACE",
        default: Default::Is(""),
        summary: "Never connect to identity providers here: a host, *.domain or a network; may be repeated",
        more: "It takes precedence over `allow`.",
        apply: |settings, texts| each(texts, place).map(|places| settings.outbound.deny = Places(places)),
        ..Key::BASE
    },
    Key {
        path: "outbound.connect-timeout",
        flag: "outbound-connect-timeout",
        variable: "PROVOST_OUTBOUND_CONNECT_TIMEOUT",
        value: "TIME",
        default: Default::Is("3s"),
        summary: "Timeout for connecting to an identity provider",
        apply: |settings, texts| one(texts, duration).map(|time| settings.outbound.connect_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "outbound.timeout",
        flag: "outbound-timeout",
        variable: "PROVOST_OUTBOUND_TIMEOUT",
        value: "TIME",
        default: Default::Is("8s"),
        summary: "Timeout for a complete response of an identity provider",
        apply: |settings, texts| one(texts, duration).map(|time| settings.outbound.timeout = time),
        ..Key::BASE
    },
    Key {
        path: "outbound.aws-sts-url",
        flag: "outbound-aws-sts-url",
        variable: "PROVOST_OUTBOUND_AWS_STS_URL",
        value: "URL",
        default: Default::Is(sts::settings::AWS_STS_URL),
        summary: "AWS's token service, which tells who has signed a request, and where account associations are tried",
        more: "An https origin. Workloads have to sign their requests for its host, and other hosts are refused: name a regional one \
               here if they do that, or that of another partition of AWS. In dev mode http on this machine stands in for \
               `sts.amazonaws.com`.",
        apply: |settings, texts| one(texts, text).map(|url| settings.outbound.aws_sts_url = url),
        ..Key::BASE
    },
    Key {
        path: "outbound.google-sts-url",
        flag: "outbound-google-sts-url",
        variable: "PROVOST_OUTBOUND_GOOGLE_STS_URL",
        value: "URL",
        default: Default::Is(sts::settings::GOOGLE_STS_URL),
        summary: "Google's token service, where account associations are tried",
        more: "An https origin. In dev mode http on this machine may stand in for it.",
        apply: |settings, texts| one(texts, text).map(|url| settings.outbound.google_sts_url = url),
        ..Key::BASE
    },
    Key {
        path: "outbound.google-iam-credentials-url",
        flag: "outbound-google-iam-credentials-url",
        variable: "PROVOST_OUTBOUND_GOOGLE_IAM_CREDENTIALS_URL",
        value: "URL",
        default: Default::Is(sts::settings::GOOGLE_IAM_CREDENTIALS_URL),
        summary: "Google's service for credentials of service accounts, where account associations are tried",
        more: "An https origin. In dev mode http on this machine may stand in for it.",
        apply: |settings, texts| one(texts, text).map(|url| settings.outbound.google_iam_credentials_url = url),
        ..Key::BASE
    },
    Key {
        path: "outbound.azure-login-url",
        flag: "outbound-azure-login-url",
        variable: "PROVOST_OUTBOUND_AZURE_LOGIN_URL",
        value: "URL",
        default: Default::Is(sts::settings::AZURE_LOGIN_URL),
        summary: "Microsoft's identity platform, where account associations are tried",
        more: "An https origin. In dev mode http on this machine may stand in for it.",
        apply: |settings, texts| one(texts, text).map(|url| settings.outbound.azure_login_url = url),
        ..Key::BASE
    },
];

fn place(text: &str) -> Result<Place, String> {
    text.parse().map_err(|error: NotAPlace| error.to_string())
}
