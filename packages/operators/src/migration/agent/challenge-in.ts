/** What a registry wants with a 401: the credentials, or a token that another address gives for them. */
export type Challenge = { readonly scheme: 'basic' } | { readonly scheme: 'bearer'; readonly tokenUrl: URL };

const CHALLENGE = /^(basic|bearer)\b(.*)$/i;
const PARAMETER = /(?<!\w)(\w+)="([^"]*)"/g;

/** The challenge in a `WWW-Authenticate` header; undefined: none that is known. */
export function challengeIn(header = ''): Challenge | undefined {
  const [, scheme, rest = ''] = CHALLENGE.exec(header) ?? [];
  if (scheme?.toLowerCase() === 'basic') return { scheme: 'basic' };
  const { realm = '', ...more } = parametersIn(rest);
  if (!URL.canParse(realm)) return undefined;
  const tokenUrl = new URL(realm);
  for (const [name, value] of Object.entries(more)) tokenUrl.searchParams.set(name, value);
  return { scheme: 'bearer', tokenUrl };
}

/** Of those that a challenge may have, what one is about. */
function parametersIn(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(found.filter(([name]) => /^(realm|service|scope)$/.test(name)));
}
