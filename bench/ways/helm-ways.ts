import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { KubeObject } from '@kubewright/kube';
import { runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import type { Clients } from '../../packages/operators/src/ownership/testing/clients.ts';
import { APPLIER } from '../../packages/operators/src/ownership/testing/start-states.ts';
import { type Helm, helmCaller, type HelmPrograms, writeChart } from '../../test/support/helm.ts';
import type { Way } from './ways.ts';

const HELM = 'helm';

/** What the ways of Helm need. */
export type HelmTools = {
  readonly programs: HelmPrograms;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** For charts, and what Helm keeps. */
  readonly folder: string;
};

/**
 * The applier's manifests are revisions of a release: the first takes the object over, the last drops the field. What the
 * state has `helm` do otherwise, Helm 3 does. All but the last are forced, so that each way begins with the same object.
 */
export function helmWays(tools: HelmTools): readonly Way[] {
  const releases = new Releases(tools);
  const upgrade = (manifest: KubeObject, ...flags: readonly string[]): Promise<void> =>
    releases.upgrade(manifest, flags);
  const clients = (base: Clients): Clients => releases.clients(base);
  return [
    { name: 'Helm 4', clients, apply: (manifest) => upgrade(manifest) },
    {
      name: 'with `--force-conflicts`',
      clients,
      apply: (manifest) => upgrade(manifest, '--force-conflicts'),
    },
    {
      name: 'after `owners migrate --release`',
      clients,
      async apply(manifest) {
        // What it drops, or is rejected for, is in its record then.
        await upgrade(manifest).catch(() => undefined);
        const { kubeconfig, namespace } = tools;
        const { name = '' } = manifest.metadata;
        const line = ['owners', 'migrate', '--release', name, '-n', namespace, '--yes'];
        const { code, err } = await runLine([...line, '--kubeconfig', kubeconfig]);
        assert.equal(code, 0, err);
        await upgrade(manifest);
      },
    },
  ];
}

/** One release an object, of the same name. */
class Releases {
  readonly #tools: HelmTools;
  readonly #helm3: Helm;
  readonly #helm4: Helm;
  readonly #installed = new Set<string>();

  constructor(tools: HelmTools) {
    const { programs, kubeconfig, folder } = tools;
    this.#tools = tools;
    this.#helm3 = helmCaller(programs.helm3, kubeconfig, folder);
    this.#helm4 = helmCaller(programs.helm4, kubeconfig, folder);
  }

  clients(base: Clients): Clients {
    return {
      ...base,
      create: async (object, manager) => {
        if (manager !== HELM) return base.create(object, manager === APPLIER ? HELM : manager);
        await this.#run(this.#helm3, object, []);
        return base.get(object);
      },
      patch: async (object, body, manager, options) => {
        if (manager !== HELM) return base.patch(object, body, manager, options);
        await this.#run(this.#helm3, object, ['--take-ownership']);
        return base.get(object);
      },
      apply: async (object, manager, dryRun) => {
        if (manager !== APPLIER) return base.apply(object, manager, dryRun);
        const isInstalled = this.#installed.has(nameOf(object));
        await this.#run(this.#helm4, object, [
          '--server-side=true',
          '--force-conflicts',
          ...(isInstalled ? [] : ['--take-ownership']),
        ]);
        return base.get(object);
      },
      applyUnforced: async (object, manager) => {
        if (manager !== APPLIER) return base.applyUnforced(object, manager);
        const { code } = await this.#try(this.#helm4, object, ['--server-side=true']);
        return code === 0;
      },
    };
  }

  async upgrade(manifest: KubeObject, flags: readonly string[]): Promise<void> {
    await this.#run(this.#helm4, manifest, flags);
  }

  async #run(helm: Helm, manifest: KubeObject, flags: readonly string[]): Promise<void> {
    const { code, out } = await this.#try(helm, manifest, flags);
    assert.equal(code, 0, out);
  }

  #try(helm: Helm, manifest: KubeObject, flags: readonly string[]): ReturnType<Helm> {
    const name = nameOf(manifest);
    const { folder, namespace } = this.#tools;
    const { namespace: _release, ...metadata } = manifest.metadata;
    const chart = writeChart(join(folder, name), '1.0.0', [{ ...manifest, metadata }]);
    const verb = this.#installed.has(name) ? 'upgrade' : 'install';
    this.#installed.add(name);
    return helm(verb, name, chart, '-n', namespace, ...flags);
  }
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}
