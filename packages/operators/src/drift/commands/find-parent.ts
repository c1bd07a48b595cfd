import { ignoreNotFound, isNotFound, type KindRef, type ResourceRef } from '@kubewright/client';
import { controllerOf, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import type { Child } from '../annotations/find-approval.ts';
import { viewOf } from '../annotations/recorded-view.ts';
import { resourceAt, TERRAFORM } from '../plan/resource-at.ts';

/** The parent that carries the approval or rejection, and the child that it is for. */
export type ParentOfChild = { readonly parent: Stored; readonly ref: KindRef; readonly child: Child };

/** An object by KIND/NAME. */
export type Named = { readonly ref: ResourceRef; readonly namespace?: string; readonly name: string };

export async function findNamed(target: string, stage: CommandStage): Promise<Named> {
  const [kind = '', name = '', ...rest] = target.split('/');
  if (kind === '' || name === '' || rest.length > 0)
    throw new OperatorError('Usage', `"${target}" is not KIND/NAME; for example: configmap/web`);
  const ref = await stage.findResource(kind);
  return ref.namespaced ? { ref, namespace: stage.namespace, name } : { ref, name };
}

/** Reads an object that must exist, with the annotations that count. */
export async function readNamed({ ref, ...key }: Named, { client }: CommandStage): Promise<Stored> {
  const found = await client.get(ref, key).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const where = key.namespace === undefined ? '' : ` in namespace ${key.namespace}; choose another with -n`;
    throw new OperatorError('NotFound', `there is no ${ref.kind} "${key.name}"${where}`);
  });
  return viewOf<Stored>(found);
}

/**
 * The named child and its controller owner; or the named parent, for a child that does not exist yet; or what is named
 * as the parent of a resource in its Terraform plan.
 */
export async function findParent(
  target: string,
  { parent, address }: CommandCall['options'],
  stage: CommandStage,
): Promise<ParentOfChild> {
  const named = await findNamed(target, stage);
  if (address !== undefined) {
    if (parent !== undefined) throw new OperatorError('Usage', `with --address, ${target} is the parent`);
    return { child: childAt(address), ref: named.ref, parent: await readNamed(named, stage) };
  }
  const { ref, ...key } = named;
  checkPattern(target, key.name, parent);
  const apiVersion = ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
  const child: Child = { apiVersion, kind: ref.kind, name: key.name };
  if (parent !== undefined) {
    const owner = await findNamed(parent, stage);
    return { child, ref: owner.ref, parent: await readNamed(owner, stage) };
  }
  const live = await readNamed(named, stage);
  const owner = await ownerOf(live, stage);
  if (owner !== undefined) return { child, ...owner };
  throw new OperatorError('NotFound', `${target} has no controller owner: changes of it are never drift`);
}

/** A name with `*` is for children that are made with generateName, and none of them has it. */
function checkPattern(target: string, name: string, parent: string | undefined): void {
  if (!name.includes('*')) return;
  if (name.indexOf('*') < name.length - 1)
    throw new OperatorError('Usage', `"${target}" matches nothing: in a name, * stands only at its end`);
  if (parent === undefined)
    throw new OperatorError('Usage', `"${target}" is for more than one child: name its owner with --parent`);
}

function childAt(address: string): Child {
  const child = address === '*' ? { apiVersion: TERRAFORM, kind: '*', name: '*' } : resourceAt(address);
  if (child !== undefined) return child;
  throw new OperatorError('Usage', '--address is one of a plan, such as aws_instance.web[0]; or *, for all');
}

/** The controller owner; undefined if there is none, or it is gone. */
export async function ownerOf(
  child: KubeObject,
  { client }: CommandStage,
): Promise<Pick<ParentOfChild, 'parent' | 'ref'> | undefined> {
  const owner = controllerOf(child);
  if (owner === undefined) return undefined;
  const ref = { ...parseApiVersion(owner.apiVersion), kind: owner.kind };
  const { namespace } = child.metadata;
  const key = namespace === undefined ? { name: owner.name } : { namespace, name: owner.name };
  const parent = await ignoreNotFound(client.get(ref, key));
  return parent === undefined ? undefined : { parent: viewOf<Stored>(parent), ref };
}
