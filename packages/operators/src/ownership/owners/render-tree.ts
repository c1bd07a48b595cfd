import { type Paint, printable } from '../../kit/paint.ts';
import type { Owner } from '../read-managed-fields.ts';
import type { OwnerNode } from './owner-tree.ts';

/** The column of the owners. */
const OWNERS_COLUMN = 54;
/** The maximum depth: no legitimate object is deeper. */
const MAX_DEPTH = 60;

/**
 * One line per element with its owners, `shared` if there are several. Elements with one child and no owner are joined.
 */
export function renderTree(nodes: readonly OwnerNode[], paint: Paint): string {
  const lines: string[] = [];
  for (const node of nodes) renderNode(node, '', '', 0, { lines, paint });
  return lines.map((line) => `${line}\n`).join('');
}

type Page = { readonly lines: string[]; readonly paint: Paint };

function renderNode(node: OwnerNode, lead: string, indent: string, depth: number, page: Page): void {
  const { label, last } = joined(node);
  const owners = describeOwners(last.owners, page.paint);
  const text = `${lead}${printable(label)}`;
  const gap = ' '.repeat(Math.max(2, OWNERS_COLUMN - text.length));
  page.lines.push(owners === '' ? text : `${text}${gap}${owners}`);
  if (depth >= MAX_DEPTH) return;
  for (const [index, child] of last.children.entries()) {
    const isLast = index === last.children.length - 1;
    renderNode(
      child,
      `${indent}${isLast ? '└─ ' : '├─ '}`,
      `${indent}${isLast ? '   ' : '│  '}`,
      depth + 1,
      page,
    );
  }
}

function joined(node: OwnerNode): { readonly label: string; readonly last: OwnerNode } {
  let label = node.label;
  let last = node;
  for (;;) {
    const [only, ...others] = last.children;
    if (only === undefined || others.length > 0 || last.owners.length > 0) return { label, last };
    label += only.label.startsWith('[') ? only.label : `.${only.label}`;
    last = only;
  }
}

function describeOwners(owners: readonly Owner[], paint: Paint): string {
  if (owners.length === 0) return '';
  const names = owners.map((owner) => ownerName(owner)).join(', ');
  return owners.length === 1 ? names : `${paint('yellow', names)}  ${paint('bold', 'shared')}`;
}

/** `eno (Apply)`. */
export function ownerName({ manager, operation, subresource }: Owner): string {
  return printable(
    `${manager || '(no name)'} (${operation}${subresource === '' ? '' : ` of ${subresource}`})`,
  );
}
