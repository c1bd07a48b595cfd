import type { Json, JsonObject, Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { at, textAt } from '../testing/at.ts';
import { configMaps } from '../testing/config-maps.ts';

type Server = { transport(): Transport };

const OWN = 'example.com/own';

/** What a DELETE leaves behind, and what it refuses. */
export function deletionContract(server: () => Server): void {
  const { root, maps, call, fresh, make, read, removeFinalizers, namespace } = configMaps(
    server,
    `deletion-${process.pid}`,
  );

  describe('what becomes of dependents is written down as a finalizer', () => {
    const gone = undefined;
    test.each<[string, readonly string[], JsonObject, number, readonly string[] | undefined]>([
      ['nothing said', [], {}, 200, gone],
      ['Background', [], { propagationPolicy: 'Background' }, 200, gone],
      ['Foreground', [], { propagationPolicy: 'Foreground' }, 200, ['foregroundDeletion']],
      ['Orphan', [], { propagationPolicy: 'Orphan' }, 200, ['orphan']],
      ['orphanDependents', [], { orphanDependents: true }, 200, ['orphan']],
      ['orphanDependents: false', [], { orphanDependents: false }, 200, gone],
      ['own finalizer', [OWN], {}, 200, [OWN]],
      ['own, orphanDependents: false', [OWN], { orphanDependents: false }, 202, [OWN]],
      ['own and Foreground', [OWN], { propagationPolicy: 'Foreground' }, 200, [OWN, 'foregroundDeletion']],
      ['kept: orphan', ['orphan'], {}, 200, ['orphan']],
      ['kept: foregroundDeletion', ['foregroundDeletion', OWN], {}, 200, ['foregroundDeletion', OWN]],
      ['overruled by Background', ['orphan'], { propagationPolicy: 'Background' }, 200, gone],
      ['overruled by Orphan', ['foregroundDeletion'], { propagationPolicy: 'Orphan' }, 200, ['orphan']],
      ['overruled by orphanDependents', ['foregroundDeletion', OWN], { orphanDependents: false }, 202, [OWN]],
    ])('%s', async (_title, finalizers, options, status, expected) => {
      const name = await make({ finalizers: [...finalizers] });
      const answer = await call('DELETE', `${maps}/${name}`, options);
      expect([answer.status, at(answer.json, 'kind')]).toEqual([status, expected ? 'ConfigMap' : 'Status']);
      const left = await read(name);
      expect(left === undefined ? undefined : at(left, 'metadata', 'finalizers')).toEqual(expected);
      if (left === undefined) return;
      expect(at(left, 'metadata', 'deletionTimestamp')).toEqual(expect.any(String));
      expect(at(left, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
    });

    test('also when it is said in the query', async () => {
      const name = await make();
      await call('DELETE', `${maps}/${name}?propagationPolicy=Foreground`);
      expect(at(await read(name), 'metadata', 'finalizers')).toEqual(['foregroundDeletion']);
    });

    test('a Job keeps its pods unless told otherwise, with a warning', async () => {
      const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
      const containers = [{ name: 'a', image: 'a' }];
      const template = { spec: { restartPolicy: 'Never', containers } };
      for (const options of [{}, { propagationPolicy: 'Orphan' }]) {
        const name = fresh();
        await call('POST', jobs, { metadata: { name }, spec: { template } });
        const answer = await call('DELETE', `${jobs}/${name}`, options);
        expect(at(await read(name, jobs), 'metadata', 'finalizers')).toContain('orphan');
        const warning = String(answer.headers['warning']);
        expect(warning.includes('child pods are preserved by default when jobs are deleted')).toBe(
          Object.keys(options).length === 0,
        );
        await removeFinalizers(name, jobs);
      }
    });

    test('an Event is never waited for', async () => {
      const events = `${root}/events`;
      const name = fresh();
      const involvedObject = { kind: 'ConfigMap', namespace, name: 'a' };
      await call('POST', events, { metadata: { name }, involvedObject });
      const { status } = await call('DELETE', `${events}/${name}`, { propagationPolicy: 'Foreground' });
      expect([status, await read(name, events)]).toEqual([200, undefined]);
    });

    test('asked again, the wish may still change', async () => {
      const name = await make({ finalizers: [OWN] });
      await call('DELETE', `${maps}/${name}`, { propagationPolicy: 'Foreground' });
      await call('DELETE', `${maps}/${name}`, { propagationPolicy: 'Orphan' });
      const left = await read(name);
      expect(at(left, 'metadata', 'finalizers')).toEqual([OWN, 'orphan']);
    });

    test('a dry run shows it and does nothing', async () => {
      const name = await make();
      const answer = await call('DELETE', `${maps}/${name}`, {
        propagationPolicy: 'Foreground',
        dryRun: ['All'],
      });
      expect(at(answer.json, 'metadata', 'finalizers')).toEqual(['foregroundDeletion']);
      expect(at(await read(name), 'metadata', 'deletionTimestamp')).toBeNull();
      expect((await call('DELETE', `${maps}/${name}?dryRun=All`)).json['status']).toBe('Success');
      expect(await read(name)).toBeDefined();
    });
  });

  describe('options that cannot be meant', () => {
    test.each<[JsonObject, number, string]>([
      [
        { propagationPolicy: 'Whatever' },
        422,
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Whatever": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
      [
        { propagationPolicy: 'Orphan', orphanDependents: true },
        422,
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
      ],
      [
        { dryRun: ['Some'] },
        422,
        'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      ],
      [
        { gracePeriodSeconds: 'a' },
        400,
        'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { gracePeriodSeconds: 1.5 },
        400,
        'json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { orphanDependents: 'yes' },
        400,
        'json: cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool',
      ],
      [
        { propagationPolicy: true },
        400,
        'json: cannot unmarshal bool into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
      ],
      [
        { preconditions: [] },
        400,
        'json: cannot unmarshal array into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
      ],
      [
        { preconditions: { uid: 5 } },
        400,
        'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
      ],
      [
        { preconditions: { resourceVersion: {} } },
        400,
        'json: cannot unmarshal object into Go struct field Preconditions.preconditions.resourceVersion of type string',
      ],
    ])('%j', async (options, status, message) => {
      const name = await make();
      const answer = await call('DELETE', `${maps}/${name}`, options);
      expect([answer.status, answer.json['message']]).toEqual([status, message]);
      expect(await read(name)).toBeDefined();
    });

    test('of another object than is there', async () => {
      const name = await make();
      const live = (await read(name)) ?? {};
      const uid = textAt(live, 'metadata', 'uid');
      const version = textAt(live, 'metadata', 'resourceVersion');
      const refusal = async (preconditions: JsonObject): Promise<Json> => {
        const { status, json } = await call('DELETE', `${maps}/${name}`, { preconditions });
        expect([status, json['reason'], json['details']]).toEqual([
          409,
          'Conflict',
          { name, kind: 'ConfigMap' },
        ]);
        return json['message'] ?? null;
      };
      expect(await refusal({ uid: 'other' })).toBe(
        `Operation cannot be fulfilled on ConfigMap "${name}": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      );
      expect(await refusal({ resourceVersion: '1' })).toBe(
        `Operation cannot be fulfilled on ConfigMap "${name}": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${version}). The object might have been modified`,
      );
      const both = { preconditions: { uid, resourceVersion: version } };
      expect((await call('DELETE', `${maps}/${name}`, both)).status).toBe(200);
    });
  });

  describe('a pod on a node', () => {
    const pods = `${root}/pods`;
    const pod = async (): Promise<string> => {
      const name = fresh();
      const spec = { nodeName: 'node', containers: [{ name: 'a', image: 'a' }] };
      const { status } = await call('POST', pods, { metadata: { name }, spec });
      expect(status).toBe(201);
      return name;
    };
    const grace = async (name: string): Promise<Json> =>
      at(await read(name, pods), 'metadata', 'deletionGracePeriodSeconds');

    test('dies gracefully: the time it has can be shortened, not lengthened', async () => {
      const name = await pod();
      await call('DELETE', `${pods}/${name}`);
      expect(await grace(name)).toBe(30);
      await call('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 60 });
      expect(await grace(name)).toBe(30);
      await call('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 10 });
      expect(await grace(name)).toBe(10);
      const { status, json } = await call('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 });
      expect([status, json['kind'], await read(name, pods)]).toEqual([200, 'Pod', undefined]);
    });

    test('less than nothing is a second', async () => {
      const name = await pod();
      await call('DELETE', `${pods}/${name}`, { gracePeriodSeconds: -5 });
      expect(await grace(name)).toBe(1);
      await call('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 });
    });
  });
}
