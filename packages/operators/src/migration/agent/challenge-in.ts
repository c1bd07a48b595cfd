/** What a registry wants with a 401: the credentials, or a token that another address gives for them. */
export type Challenge = { readonly scheme: 'basic' } | { readonly scheme: 'bearer'; readonly tokenUrl: URL };

const CHALLENGE = /^(basic|bearer)\b(.*)$/i;
const PARAMETER = /(\w+)="([^"]*)"/g;

/** The challenge in a `WWW-Authenticate` header; undefined: none that is known. */
export function challengeIn(header = ''): Challenge | undefined {
  const [, scheme = '', rest = ''] = CHALLENGE.exec(header) ?? [];
  if (scheme === '') return undefined;
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' };
  const parameters = new Map(
    [...rest.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );
  const realm = parameters.get('realm') ?? '';
  if (!URL.canParse(realm)) return undefined;
  const tokenUrl = new URL(realm);
  for (const name of ['service', 'scope']) {
    const value = parameters.get(name);
    if (value !== undefined) tokenUrl.searchParams.set(name, value);
  }
  return { scheme: 'bearer', tokenUrl };
}
