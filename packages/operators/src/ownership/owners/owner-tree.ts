import { stringifyJson } from '@kubewright/kube';
import { type Path, parsePathElement } from '@kubewright/kube/fields';
import type { Claim, Owner } from '../read-managed-fields.ts';

/** One element of a path, the owners of exactly it, and its children. */
export type OwnerNode = {
  readonly label: string;
  readonly owners: readonly Owner[];
  readonly children: readonly OwnerNode[];
};

type Building = { readonly owners: Owner[]; readonly children: Map<string, Building> };

/** All managers' fields as one tree, in the order of first appearance. */
export function ownerTree(claims: readonly Claim[]): readonly OwnerNode[] {
  const root: Building = { owners: [], children: new Map() };
  for (const { owner, set } of claims) {
    for (const path of set.paths()) descend(root, path).owners.push(owner);
  }
  return finish(root).children;
}

function descend(root: Building, path: Path): Building {
  let node = root;
  for (const element of path) {
    let next = node.children.get(element);
    if (next === undefined) {
      next = { owners: [], children: new Map() };
      node.children.set(element, next);
    }
    node = next;
  }
  return node;
}

function finish(node: Building, element = ''): OwnerNode {
  return {
    label: element === '' ? '' : labelOf(element),
    owners: node.owners,
    children: [...node.children].map(([key, child]) => finish(child, key)),
  };
}

/** `image`, `[name="web"]`, `["x"]`, `[0]`. */
function labelOf(text: string): string {
  const element = parsePathElement(text);
  switch (element.type) {
    case 'field':
      return element.name;
    case 'key':
      return `[${Object.entries(element.keys)
        .map(([name, value]) => `${name}=${stringifyJson(value)}`)
        .join(',')}]`;
    case 'value':
      return `[${stringifyJson(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}
