/** A password between user and host. The last @ is the separator, because a password may contain @. */
const IN_URL = /(:\/\/[^\s:@/]*:)(\S*)(?=@)/g;
/** A parameter, option or variable whose name suggests a secret. */
const NAMED = /((?:password|passwd|pwd|passphrase|secret|token)\s*[=:]\s*)([^\s&;,"']+)/gi;

/** Hides the passwords in the address of a database. */
export const withoutSecrets = (address: string): string => address.replace(IN_URL, '$1…').replace(NAMED, '$1…');

/** Returns a function that hides the passwords of an address in any text. */
export function secretsHider(address: string): (text: string) => string {
  const found = [...address.matchAll(IN_URL), ...address.matchAll(NAMED)].map(([, , secret]) => secret!);
  // Shorter secrets would also match parts of words; in addresses they are found through their position.
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
