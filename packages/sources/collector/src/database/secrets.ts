/** A password between user and host; the last @ counts, because passwords may hold others. */
const IN_URL = /(:\/\/[^\s:@/]*:)(\S*)(?=@)/g;
/** A parameter, an option or a variable that is called like one. */
const NAMED = /((?:password|passwd|pwd|passphrase|secret|token)\s*[=:]\s*)([^\s&;,"']+)/gi;

/** The address of a database, for people: without its passwords. */
export const withoutSecrets = (address: string): string => address.replace(IN_URL, '$1…').replace(NAMED, '$1…');

/** Removes the passwords of an address from any text. */
export function secretsHider(address: string): (text: string) => string {
  const found = [...address.matchAll(IN_URL), ...address.matchAll(NAMED)].map(([, , secret]) => secret!);
  // Shorter ones would make holes in words; positions hide them in addresses.
  const secrets = [...new Set(found.flatMap((secret) => [secret, decoded(secret)]))].filter(({ length }) => length > 2);
  return (text) => withoutSecrets(secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text));
}

function decoded(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    return secret;
  }
}
