import assert from 'node:assert/strict';
import type { Status, Stored } from '@kubewright/kube';
import type { Answer, AnyKindApi } from '../any-kind-api.ts';

/** A refusal as a server words it. */
export function refused(code: number, message: string): Answer {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
  return { ok: false, status };
}

/** The answer that an object is. */
export function answered(object: Stored): Answer {
  return { ok: true, object };
}

/** An API that answers as it is told; every call that it was not told about is an error. */
export function fakeAnyKindApi(answers: Partial<AnyKindApi>): AnyKindApi & { readonly calls: string[] } {
  const calls: string[] = [];
  const unexpected = (name: string) => async (): Promise<never> => assert.fail(`unexpected ${name}`);
  return {
    calls,
    get(ref) {
      calls.push('get');
      return (answers.get ?? unexpected('get'))(ref);
    },
    find(ref) {
      calls.push('get');
      return (answers.find ?? answers.get ?? unexpected('get'))(ref);
    },
    apply(object, options) {
      calls.push(options.dryRun ? `dry run as ${options.manager}` : 'apply');
      return (answers.apply ?? unexpected('apply'))(object, options);
    },
    create(object, options) {
      calls.push('create');
      return (answers.create ?? unexpected('create'))(object, options);
    },
    replace(object, options) {
      calls.push(options.dryRun ? 'dry run of a replacement' : 'replace');
      return (answers.replace ?? unexpected('replace'))(object, options);
    },
    patchJson(ref, patch, options) {
      calls.push('rewrite');
      return (answers.patchJson ?? unexpected('rewrite'))(ref, patch, options);
    },
    delete(live, propagation) {
      calls.push(`delete ${propagation}`);
      return (answers.delete ?? unexpected('delete'))(live, propagation);
    },
    contents: (live) => (answers.contents ?? (() => assert.fail('unexpected contents')))(live),
  };
}
