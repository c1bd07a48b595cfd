import assert from 'node:assert/strict';

/**
 * The part of the changelog below the heading of a version: `## 0.1.0` or `## 0.1.0 (2026-12-01)`. Until a version has its heading, its
 * notes are below `## Unreleased`: `isDraft` takes them from there.
 */
export function releaseNotes(changelog: string, version: string, isDraft: boolean): string {
  const parts = changelog.split(/^## /m).slice(1);
  const headed = (heading: string): string | undefined =>
    parts.find((part) => part.split(/[\s(]/, 1)[0] === heading);
  const found = headed(version) ?? (isDraft ? headed('Unreleased') : undefined);
  assert(found !== undefined, `CHANGELOG.md has no heading "## ${version}"`);
  const text = found.slice(found.indexOf('\n')).trim();
  assert(text !== '', `CHANGELOG.md has no line below "## ${version}"`);
  return `${text}\n`;
}
