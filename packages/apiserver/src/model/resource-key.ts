/** Names a resource over all its versions; also the name of its storage. */
export function resourceKey(group: string, resource: string): string {
  return `${group}/${resource}`;
}
