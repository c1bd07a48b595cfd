// Finds Helm's programs: looks, never builds.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/** The file name of a program → the version that its go.mod pins. */
export const HELM_VERSIONS = Object.fromEntries(['helm3', 'helm4'].map((name) => [name, pinnedIn(name)]));

function pinnedIn(name) {
  const text = readFileSync(new URL(`${name}/go.mod`, import.meta.url), 'utf8');
  return /^require helm\.sh\/helm\/v\d+ (v\S+)$/m.exec(text)[1];
}

/** Where built programs are kept, outside the repository: another version has another folder. */
export function helmDirectory(env = process.env) {
  return join(dirname(cacheDirectory(env)), `helm-${Object.values(HELM_VERSIONS).join('-')}`);
}

/** The paths of both programs, `helm3` and `helm4`; undefined when one of them is missing. */
export function findHelm(env = process.env) {
  const directory = helmDirectory(env);
  const names = Object.keys(HELM_VERSIONS);
  if (!holds(directory, names)) return undefined;
  return Object.fromEntries(names.map((name) => [name, join(directory, name)]));
}
