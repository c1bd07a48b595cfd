import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type LockEntry = {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

type Lock = { readonly packages: Readonly<Record<string, LockEntry>> };

/** Of the repository, and of the tools of its site. */
describe.each(['package-lock.json', 'tools/site/package-lock.json'])('%s', (path) => {
  const { packages } = JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as Lock;

  test('names no host to download from, so that every registry serves', () => {
    const hosts = Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined && !entry.link);
    expect(hosts).toEqual([]);
  });

  test('holds the binaries of every platform, or npm ci refuses it', () => {
    const missing = Object.values(packages)
      .flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
      .filter((name) => !Object.hasOwn(packages, `node_modules/${name}`));
    expect(missing).toEqual([]);
  });
});
