import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type LockEntry = {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};

test('the lockfile names no host to download from, so that every registry serves', () => {
  const hosts = Object.entries(lock.packages).filter(
    ([, entry]) => entry.resolved !== undefined && !entry.link,
  );
  expect(hosts).toEqual([]);
});

test('the lockfile holds the binaries of every platform, or npm ci refuses it', () => {
  const missing = Object.values(lock.packages)
    .flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
    .filter((name) => !Object.hasOwn(lock.packages, `node_modules/${name}`));
  expect(missing).toEqual([]);
});
