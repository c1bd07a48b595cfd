import { KubewrightError } from '../kubewright-error.ts';

/** What an operator and its kind are called, in the places in which the template says `sample`, `Sample` and `samples`. */
export type OperatorNames = {
  readonly name: string;
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
};

const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const KIND = /^[A-Z][A-Za-z0-9]{0,61}$/;
const GROUP = /^(?=.{3,200}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/** Of `web-cache` in `example.com`: WebCache, webcaches. */
export function operatorNames(
  name: string,
  options: { readonly group: string; readonly kind?: string },
): OperatorNames {
  const { group, kind = capitals(name) } = options;
  if (!NAME.test(name))
    throw usage(
      `an operator's name has at most 40 lower-case letters, digits and hyphens, as "web-cache", not "${name}"`,
    );
  if (!KIND.test(kind)) throw usage(`a kind is as "WebCache", not "${kind}"`);
  if (!GROUP.test(group)) throw usage(`a group is as "example.com", not "${group}"`);
  return { name, kind, plural: pluralOf(kind.toLowerCase()), group };
}

const usage = (message: string): KubewrightError => new KubewrightError('Usage', message);

function capitals(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** As Kubernetes' own kinds are called: `policies`, `ingresses`. */
function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
