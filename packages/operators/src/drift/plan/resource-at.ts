import type { Child } from '../annotations/find-approval.ts';

/** The `apiVersion` by which approvals and rejections name the resources of a plan, of OpenTofu too. */
export const TERRAFORM = 'terraform';

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const KEY = String.raw`(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?`;
const ADDRESS = new RegExp(
  `^(?:module\\.${NAME}${KEY}\\.)*(?:(?:data|action)\\.)?(?!(?:module|data)\\.)(?<type>${NAME})\\.${NAME}${KEY}$`,
  'u',
);
const LONGEST = 2048;

/**
 * A resource as approvals name it: its type is the kind, its address the name. The kind of an output (`output.NAME`) is
 * `output`. Undefined for what is no address.
 */
export function resourceAt(address: string): Child | undefined {
  const kind = address.length > LONGEST ? undefined : ADDRESS.exec(address)?.groups?.['type'];
  return kind === undefined ? undefined : { apiVersion: TERRAFORM, kind, name: address };
}
