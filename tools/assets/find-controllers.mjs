// Finds the controllers that `npm run test:controllers` plays: looks, never builds.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';
import { PLANTS } from './plants.mjs';

/** How a webhook is set up with the libraries of the others, which are later than those of its release. */
function webhook(file, type, calls) {
  const older = calls.map(([name, value]) => `\t\tWith${name}(${value})`);
  const from = [`NewWebhookManagedBy(mgr)`, `\t\tFor(&${type}{})`, ...older].join('.\n');
  const now = calls.map(([name, value]) => `\t\tWithCustom${name}(${value})`);
  return { file, from, to: [`NewWebhookManagedBy(mgr, &${type}{})`, ...now].join('.\n') };
}

const rayWebhook = (kind) =>
  webhook(`pkg/webhooks/v1/${kind.toLowerCase()}_webhook.go`, `rayv1.${kind}`, [
    ['Validator', `&${kind}Webhook{}`],
  ]);

const lwsWebhook = ([file, type, value]) =>
  webhook(`pkg/webhooks/${file}_webhook.go`, type, [
    ['Defaulter', value],
    ['Validator', value],
  ]);

/**
 * The controllers: the module that each is from, the releases that are built, its program, and where the module has the
 * definitions of its kinds. The last release is the one that go.mod pins.
 */
export const CONTROLLERS = {
  jobset: {
    module: 'sigs.k8s.io/jobset',
    // Earlier releases do not compile with the libraries of the others.
    versions: ['v0.12.0'],
    program: 'sigs.k8s.io/jobset',
    definitions: ['config/components/crd/bases'],
  },
  'cert-manager': {
    module: 'github.com/cert-manager/cert-manager',
    versions: ['v1.21.1', 'v1.21.2'],
    program: './cert-manager',
    definitions: ['deploy/crds'],
  },
  'kustomize-controller': {
    module: 'github.com/fluxcd/kustomize-controller',
    versions: ['v1.9.5', 'v1.9.6'],
    program: 'github.com/fluxcd/kustomize-controller',
    definitions: ['config/crd/bases'],
  },
  'argo-rollouts': {
    module: 'github.com/argoproj/argo-rollouts',
    versions: ['v1.9.1', 'v1.9.2'],
    program: 'github.com/argoproj/argo-rollouts/cmd/rollouts-controller',
    // A library of which it needs an earlier release than the others.
    older: ['-replace=github.com/prometheus/client_golang=github.com/prometheus/client_golang@v1.22.0'],
    definitions: ['manifests/crds'],
  },
  lws: {
    module: 'sigs.k8s.io/lws',
    versions: ['v0.7.0', 'v0.8.0'],
    program: 'sigs.k8s.io/lws/cmd',
    definitions: ['config/crd/bases'],
    changes: [
      ['leaderworkerset', 'v1.LeaderWorkerSet', '&LeaderWorkerSetWebhook{}'],
      ['pod', 'corev1.Pod', 'p'],
    ].map(lwsWebhook),
  },
  'prometheus-operator': {
    module: 'github.com/prometheus-operator/prometheus-operator',
    // No other release can be had.
    versions: ['v0.85.0'],
    program: 'github.com/prometheus-operator/prometheus-operator/cmd/operator',
    definitions: ['example/prometheus-operator-crd'],
    // Later libraries want as parameters what was the default before.
    changes: [
      {
        file: 'pkg/admission/admission.go',
        from: 'conversion.NewWebhookHandler(scheme)',
        to: 'conversion.NewWebhookHandler(scheme, conversion.NewRegistry())',
      },
      {
        file: 'pkg/operator/rules.go',
        from: 'rulefmt.Parse(content, false)',
        to: 'rulefmt.Parse(content, false, model.LegacyValidation)',
      },
    ],
  },
  // The later release is what is planted.
  kuberay: {
    module: 'github.com/ray-project/kuberay/ray-operator',
    versions: ['v1.5.0', 'v1.6.0'],
    program: 'github.com/ray-project/kuberay/ray-operator',
    definitions: ['config/crd/bases'],
    changes: ['RayCluster', 'RayJob', 'RayService'].map(rayWebhook),
  },
  'sealed-secrets': {
    module: 'github.com/bitnami-labs/sealed-secrets',
    versions: ['v0.27.1'],
    program: 'github.com/bitnami-labs/sealed-secrets/cmd/controller',
    definitions: ['helm/sealed-secrets/crds'],
    // It runs in pods only.
    changes: [
      {
        file: 'pkg/controller/main.go',
        from: '"k8s.io/client-go/rest"',
        to: '"k8s.io/client-go/tools/clientcmd"',
      },
      {
        file: 'pkg/controller/main.go',
        from: 'rest.InClusterConfig()',
        to: 'clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))',
      },
    ],
  },
};

/** Where built controllers are kept, outside the repository. */
export function controllersDirectory(env = process.env) {
  return join(dirname(cacheDirectory(env)), 'controllers');
}

/**
 * What is built of a controller: the pinned release, the one before, and the pinned one with something planted. Where the
 * pinned one is itself what is planted, the one before is the current one.
 */
export function programsOf(name) {
  const { versions } = CONTROLLERS[name];
  const [last, before] = versions.toReversed().map((version) => `${name}-${version}`);
  const definitions = `${last}-definitions`;
  const plant = PLANTS[name];
  if (plant?.isRelease) return { current: before, previous: undefined, planted: last, definitions };
  const planted = plant === undefined ? undefined : `${last}-planted`;
  return { current: last, previous: before, planted, definitions };
}

/** The paths of the programs of one controller, and of the folder of its definitions; undefined when one of them is missing. */
export function findController(name, env = process.env) {
  const directory = controllersDirectory(env);
  const found = programsOf(name);
  const { definitions, ...programs } = found;
  const wanted = Object.values(programs).filter((program) => program !== undefined);
  if (!holds(directory, wanted) || !existsSync(join(directory, definitions))) return undefined;
  const paths = Object.entries(found).map(([key, file]) => [key, file && join(directory, file)]);
  return Object.fromEntries(paths);
}
