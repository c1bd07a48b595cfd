/**
 * True where an image reference has the tag `latest`, or neither tag nor digest.
 * What is no valid reference has no tag at all, as `k8s.io/kubernetes/pkg/util/parsers` sees it.
 */
export function isLatest(image: string): boolean {
  const match = image.length > LONGEST ? null : REFERENCE.exec(image);
  if (match === null || isIdentifier(image) || !isNameShortEnough(image)) return false;
  const [, tag, digest] = match;
  return tag === undefined ? digest === undefined : tag === 'latest';
}

/** A name has at most 255 characters, a tag 128; digests are short. */
const LONGEST = 1024;
const ALNUM = '[a-z0-9]+';
const COMPONENT = `${ALNUM}(?:(?:\\.|_|__|-+)${ALNUM})*`;
const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[(?:[a-fA-F0-9:]+)\\])`;
const DOMAIN = `${HOST}(?::[0-9]+)?`;
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';

/** The grammar of `github.com/distribution/reference`: domain, path, tag, digest. */
const REFERENCE: RegExp = new RegExp(
  `^(?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*(?::([\\w][\\w.-]{0,127}))?(?:@(${DIGEST}))?$`,
);

/** 64 hex digits are an image's id, not its name. */
function isIdentifier(image: string): boolean {
  return /^[a-f0-9]{64}$/.test(image);
}

function isNameShortEnough(image: string): boolean {
  const name = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
  return name.length <= 255;
}
