import type { Environment } from '@marcbachmann/cel-js';
import { failed } from '../failed.ts';
import { succeeds } from './succeeds.ts';

/** An absolute URL or absolute path. A class, because the library finds the type of a value by its constructor. */
class CelUrl {
  static readonly celName = 'kubernetes.URL';
  readonly parsed: URL;
  /** False for a bare path, which has neither scheme nor host. */
  readonly absolute: boolean;
  /** False where the text ends behind the host: the path is empty then, and not `/`. */
  readonly hasPath: boolean;

  constructor(text: string) {
    this.absolute = URL.canParse(text);
    if (!this.absolute && !/^\/[^\s]*$/.test(text))
      throw failed(`URL parse error during conversion from string: ${text}`);
    this.parsed = new URL(text, 'x://');
    this.hasPath = !/^[^:]+:\/\/[^/?#]*(?:[?#]|$)/.test(text);
  }
}

/** Kubernetes' `url()`, `isURL()` and the parts of what they make. */
export function registerUrls(environment: Environment): void {
  const part = (read: (url: URL) => string) => (url: CelUrl) => (url.absolute ? read(url.parsed) : '');
  environment
    .registerType('kubernetes.URL', CelUrl)
    .registerOperator(
      'kubernetes.URL == kubernetes.URL',
      (a: CelUrl, b: CelUrl) => a.parsed.href === b.parsed.href,
    )
    .registerFunction('url(string): kubernetes.URL', (text: string) => new CelUrl(text))
    .registerFunction('isURL(string): bool', (text: string) => succeeds(() => new CelUrl(text)))
    .registerFunction(
      'kubernetes.URL.getScheme(): string',
      part((url) => url.protocol.slice(0, -1)),
    )
    .registerFunction(
      'kubernetes.URL.getHost(): string',
      part((url) => url.host),
    )
    .registerFunction(
      'kubernetes.URL.getHostname(): string',
      part((url) => url.hostname.replace(/^\[|\]$/g, '')),
    )
    .registerFunction(
      'kubernetes.URL.getPort(): string',
      part((url) => url.port),
    )
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ parsed, hasPath }: CelUrl) =>
      hasPath ? parsed.pathname : '',
    )
    .registerFunction('kubernetes.URL.getQuery(): map<string, list<string>>', ({ parsed }: CelUrl) => {
      const query = new Map<string, string[]>();
      for (const [key, value] of parsed.searchParams) query.set(key, [...(query.get(key) ?? []), value]);
      return query;
    });
}
