/** What to do about an unserved resource: the server's own text is "404 page not found", whatever the resource. */
export function unservedResource(path: string): string | undefined {
  const target = targetOf(path);
  if (target === undefined) return undefined;
  const { group, resource, subresource } = target;
  const name = `${resource}.${group}`;
  // Groups without a dot are Kubernetes' own.
  const step = !group.includes('.')
    ? 'see "kubectl api-resources" for what it serves'
    : subresource === undefined
      ? `install the CustomResourceDefinition ${name}, or see "kubectl api-resources" for what it serves`
      : `install the CustomResourceDefinition ${name}, with the subresource ${subresource}`;
  return `the server does not serve ${titleOf(target)}: ${step}`;
}

/** The resource that a path names. */
type Target = {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
};

const TARGET =
  /^(?:\/api|\/apis\/(?<group>[^/?]+))\/(?<version>[^/?]+)(?:\/namespaces\/[^/?]+)?\/(?<resource>[^/?]+)(?:\/[^/?]+(?:\/(?<subresource>[^/?]+))?)?(?:\?|$)/;

function targetOf(path: string): Target | undefined {
  const groups = TARGET.exec(path)?.groups;
  if (groups === undefined) return undefined;
  const { group = '', version = '', resource = '', subresource } = groups;
  // A proxied response is the backend's.
  return subresource === 'proxy' ? undefined : { group, version, resource, subresource };
}

function titleOf({ group, version, resource, subresource }: Target): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return `${what} of ${group === '' ? version : `${group}/${version}`}`;
}
