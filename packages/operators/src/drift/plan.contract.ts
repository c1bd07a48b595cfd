import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, systemClock, withImpersonation } from '@kubewright/client';
import { apiextensionsv1, type Transport } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { OperatorError } from '../operator-error.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { approve, reject } from './commands/approve.ts';
import { freeze } from './commands/freeze.ts';
import { plan } from './commands/plan.ts';
import { driftParts } from './controller.ts';
import { reconcileSite, SITE_CONTROLLER, version1 } from './demo/site-controller.ts';
import { SITES } from './demo/site.ts';
import { commandStage, createPolicy } from './testing/drift-stage.ts';
import { annotationsOf } from './testing/annotations-of.ts';

const ALICE = { username: 'alice', groups: ['system:masters'] };
type Options = Readonly<Record<string, string>>;

/** A plan of Terraform beside the object that stands for what it changes. */
export function planContract(transport: () => Transport): void {
  describe('drift plan', () => {
    const operator = useOperator(transport, driftParts, {
      anyKind: { apiGroups: [SITES.group], resources: ['sites'] },
    });
    const { namespace } = operator;
    const web = { namespace, name: 'web' };
    const folder = useFolder();
    let alice: Client;

    const stage = (user = ALICE) =>
      commandStage(withImpersonation(transport(), { user: user.username, groups: user.groups }), namespace);
    const call = (options: Options) => ({ args: ['site/web'], options });
    /** What `terraform show -json` prints of a plan made at a time. */
    const written = (minute: number, changes: Readonly<Record<string, readonly string[]>>): string => {
      const filename = join(folder, 'plan.json');
      const list = Object.entries(changes).map(([address, actions]) => ({
        address,
        change: { actions, after: { password: 'hunter2' } },
      }));
      const timestamp = `2026-01-01T10:0${minute}:00Z`;
      writeFileSync(filename, JSON.stringify({ format_version: '1.2', timestamp, resource_changes: list }));
      return filename;
    };
    /** What is printed, and the error that the command ends with. */
    const planned = async (
      filename: string,
      user = ALICE,
    ): Promise<{ readonly text: string; readonly error: OperatorError | undefined }> => {
      const shown = stage(user);
      const error: unknown = await plan({ ...call({ filename }), terminal: shown }, async () => shown).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined && !(error instanceof OperatorError)) throw error;
      return { text: shown.printed(), error };
    };
    const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
      alice.patch(SITES, web, { type: 'merge', body: { metadata: { annotations } } });
    const reconcile = (): Promise<boolean> =>
      reconcileSite(operator.as(SITE_CONTROLLER), web, version1, systemClock.now());

    beforeAll(async () => {
      await installDefinitions(operator.admin, [SITES.definition], { fieldManager: 'test' });
      await createPolicy(operator.admin, namespace, { mode: 'enforce', namespaces: { names: [namespace] } });
      alice = operator.as(ALICE);
      await alice.create(SITES, {
        apiVersion: 'demo.kubewright.io/v1',
        kind: 'Site',
        metadata: web,
        spec: { color: 'red' },
      });
      await reconcile();
      await waitForObject(
        alice,
        SITES,
        web,
        (live) => annotationsOf(live)[ANNOTATIONS.phase] === 'initialized',
      );
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      await operator.admin.delete(apiextensionsv1.customresourcedefinitions, {
        name: SITES.definition.metadata.name ?? '',
      });
    });

    test('a plan although nobody has changed the parent is drift; approved once, it may be applied, and no other', async () => {
      const first = written(1, { 'aws_instance.web': ['update'] });
      const { text, error } = await planned(first);
      expect(text).toMatch(/aws_instance\.web +update +denied +Drift\n/);
      expect(text).not.toContain('hunter2');
      expect(error).toMatchObject({ code: 'Denied' });
      expect(error?.message).toContain(
        `kubewright drift approve site/web --address 'aws_instance.web' -n ${namespace}`,
      );
      await approve(call({ address: 'aws_instance.web' }), async () => stage());
      const allowed = await planned(first);
      expect(allowed.error).toBeUndefined();
      expect(allowed.text).toMatch(/aws_instance\.web +update +allowed +Approved\n/);
      expect(allowed.text).toContain('The plan may be applied: 1 change is allowed\n');
      expect((await planned(first)).error).toBeUndefined();
      const second = written(2, { 'aws_instance.web': ['update'] });
      expect((await planned(second)).error).toMatchObject({ code: 'Denied' });
    });

    test('a change of the parent expects a plan, but nothing that destroys', async () => {
      await alice.patch(SITES, web, { type: 'merge', body: { spec: { color: 'green' } } });
      const { text, error } = await planned(
        written(3, { 'aws_instance.web': ['update'], 'aws_db.main': ['delete', 'create'] }),
      );
      expect(text).toMatch(/aws_instance\.web +update +allowed +Reconciling\n/);
      expect(text).toMatch(/aws_db\.main +replace +denied +Destructive\n/);
      expect(error?.message).toContain('destroys what exists');
      expect((await planned(written(4, { 'aws_instance.web': ['update'] }))).error).toBeUndefined();
      await reconcile();
    });

    test('a freeze and a rejection deny a plan, and nothing in it is nothing to deny', async () => {
      const filename = written(5, { 'aws_instance.web': ['create'] });
      await reject(call({ address: '*', reason: 'not this week' }), async () => stage());
      expect((await planned(filename)).error?.message).toContain('not this week');
      await freeze(call({ reason: 'incident' }), async () => stage(), true);
      expect((await planned(filename)).error?.message).toContain('is frozen: incident');
      await annotate({ [ANNOTATIONS.freeze]: null, [ANNOTATIONS.rejections]: null });
      const empty = await planned(written(6, { 'aws_instance.web': ['no-op'] }));
      expect(empty.error).toBeUndefined();
      expect(empty.text).toContain('The plan changes nothing');
    });

    test("the parent's controller cannot use an approval of mode once up", async () => {
      await approve(call({ address: 'aws_instance.own' }), async () => stage());
      const { error } = await planned(written(7, { 'aws_instance.own': ['update'] }), SITE_CONTROLLER);
      expect(error).toMatchObject({ code: 'Forbidden' });
      expect(error?.message).toContain('its controller may not change approvals');
    });
  });
}
