import type { Operator, OperatorCommand } from '../kit/operator.ts';

const FILE = {
  '-f, --filename <file>': {
    help: 'read the object from YAML or JSON with its managedFields, not from a cluster; - is standard input',
  },
};

const owners: OperatorCommand = {
  name: 'owners',
  summary: 'show who owns which field of an object, and why a field cannot be removed',
  arguments: {
    '[kind/name]': 'deployment/web, deploy/web, configmaps/settings, widgets.example.com/one',
    '[path]':
      "a field: spec.replicas, /spec/replicas, data['my.key'], spec.template.spec.containers[0].image",
  },
  options: {
    '--manager <name>': {
      help: 'the field manager that would remove the path; default: who applies the object',
    },
    ...FILE,
  },
  hasOutput: true,
  examples: [
    ['owners deployment/web', 'who owns which field'],
    [
      `owners deployment/web 'spec.template.spec.initContainers[name="setup"]'`,
      'why this one cannot be removed, and by whom',
    ],
    ['owners -f web.yaml', 'the same of a file, without a cluster'],
  ],
  run: async (...call) => (await import('./owners/run-owners.ts')).runOwners(...call),
};

const RECORD = {
  '--release <name>': {
    help: 'instead of one object, all of a Helm release: what an earlier revision applied and the newest does not, and others keep',
  },
  '--application <name>': { help: 'the same of the objects of an Argo CD Application' },
  '--kustomization <name>': { help: 'the same of the objects of a Flux Kustomization' },
  '--from <managers>': {
    help: 'with these: also all that Update entries of these managers own and the tool does not apply, comma-separated; they must write no more',
  },
  '--shared': {
    help: 'with these: also what the tool applies now and Update entries of others own too',
  },
};

const WHERE = {
  '-l, --selector <labels>': { help: 'only objects with these labels: app=web,tier!=cache' },
  '--kinds <names>': {
    help: 'only these kinds, comma-separated: deploy,configmaps,widgets.example.com; default all',
  },
};
const ALL_NAMESPACES = 'default all namespaces, and what has none';

const scan: OperatorCommand = {
  name: 'owners scan',
  finds: 'split ownership',
  summary:
    'list all objects of which two managers own the same fields, so that a removal stays or is rejected',
  options: { ...WHERE, ...RECORD },
  namespaceDefault: ALL_NAMESPACES,
  hasOutput: true,
  examples: [
    ['owners scan', 'what is stuck in this cluster, by pair of managers'],
    ['owners scan -n shop --kinds deploy,cm -o json', 'the same of a part, for programs'],
  ],
  run: async (...call) => (await import('./owners/verbs/run-verbs.ts')).scan(...call),
};

const TARGET = { '<kind/name>': 'deployment/web, configmaps/settings, widgets.example.com/one' };
const WHO = {
  '--to <manager>': { help: 'the field manager that applies the object, and is to own its fields' },
  '--remove <paths>': {
    help: 'only what it takes to remove these fields, comma-separated; default all that the manager applies',
  },
};

const WRITES = {
  '--yes': { help: 'write it; without it the plan is printed and nothing is written' },
};

const plan: OperatorCommand = {
  name: 'owners plan',
  summary: 'show what "owners migrate" would move, why, and the exact patch; writes nothing',
  arguments: { '[kind/name]': TARGET['<kind/name>'] },
  options: { ...WHO, ...RECORD, ...FILE },
  hasOutput: true,
  examples: [
    [
      "owners plan deployment/web --to platform --remove 'initContainers[0]'",
      'what a removal of this needs first',
    ],
    ['owners plan --release web -n shop', 'what keeps fields that the chart of a Helm release has dropped'],
  ],
  run: async (...call) => (await import('./owners/verbs/run-verbs.ts')).plan(...call),
};

const migrate: OperatorCommand = {
  name: 'owners migrate',
  writes: 'own',
  summary: 'move the ownership of fields to the manager that applies them, so that it can remove them',
  arguments: { '[kind/name]': TARGET['<kind/name>'] },
  options: {
    ...WHO,
    ...RECORD,
    ...WRITES,
    '--all': {
      help: 'all objects that "owners scan" finds for this manager, instead of one; -n narrows it, too',
    },
    ...WHERE,
  },
  hasOutput: true,
  examples: [
    [
      'owners migrate deployment/web --to platform --yes',
      'platform alone owns what it applies; no value changes',
    ],
    ['owners migrate --all --to platform -n shop --yes', 'the same for all that it applies in a namespace'],
    [
      'owners migrate --release web -n shop --yes',
      'the next helm upgrade removes what the chart has dropped',
    ],
  ],
  leaves: 'each object is either migrated or not; run it again to continue',
  run: async (...call) => (await import('./owners/verbs/run-verbs.ts')).migrate(...call),
};

const release: OperatorCommand = {
  name: 'owners release',
  writes: 'own',
  summary: 'give the ownership of fields to another manager, so that leaving them out keeps their values',
  arguments: TARGET,
  options: {
    '--manager <name>': { help: 'the field manager that gives them up; default: who applies the object' },
    '--to <manager>': { help: 'the field manager that is to own them' },
    '--fields <paths>': { help: 'the fields, comma-separated: spec.replicas, containers[0].resources' },
    ...WRITES,
  },
  hasOutput: true,
  examples: [
    [
      'owners release deployment/web --fields spec.replicas --to autoscaler --yes',
      'then leave replicas out of the manifest: they stay as they are',
    ],
  ],
  leaves: 'the fields may be released already; run it again',
  run: async (...call) => (await import('./owners/take-over/run-take-over.ts')).runRelease(...call),
};

const remove: OperatorCommand = {
  name: 'owners remove',
  writes: 'own',
  summary: 'remove fields that nobody applies any more, whoever else owns them',
  arguments: TARGET,
  options: {
    '--fields <paths>': {
      help: 'the fields, comma-separated: data.old, spec.template.spec.initContainers[name="setup"]',
    },
    ...WRITES,
  },
  hasOutput: true,
  examples: [
    [
      'owners remove configmap/settings --fields data.old --yes',
      'what "owners scan" finds that nobody applies',
    ],
  ],
  leaves: 'the fields may be removed already; run it again',
  run: async (...call) => (await import('./owners/remove/run-remove.ts')).runRemove(...call),
};

const apply: OperatorCommand = {
  name: 'apply',
  writes: 'own',
  summary: 'have the operator apply the manifests of a folder, and prune what is no longer among them',
  arguments: { '[name]': "the Composition; default: the folder's name" },
  names: { plural: 'compositions', singular: 'composition', group: 'eno.azure.io', shortName: 'comp' },
  options: {
    '-f, --filename <path>': { help: 'a folder with all folders in it, or a file; - is standard input' },
    '--yes': { help: 'write it; without it the plan is printed and nothing is written' },
    '--timeout <duration>': {
      help: 'how long to wait until all objects are ready, as 90s or 5m; 0 does not wait',
      default: '5m',
    },
  },
  hasOutput: true,
  examples: [['apply -f shop/ -n shop --yes', 'the objects of a folder, and no others, from now on']],
  leaves: 'what was written stays, and the operator applies it; run it again to continue',
  run: async (...call) => (await import('./apply/run-apply.ts')).runApply(...call),
};

/**
 * Applies the manifests of ResourceSlices and moves field ownership where others' claims keep a removal from
 * happening. Two controllers: one says what a Composition stands for, the other brings the objects of a slice about.
 */
export const operator: Operator = {
  name: 'ownership',
  summary: 'applies ResourceSlices, and moves field ownership that keeps a removal from happening',
  settings: {
    COMPOSITION_NAMESPACE: 'work only on Compositions of this namespace; default all',
    COMPOSITION_LABEL_SELECTOR:
      'work only on Compositions with these labels: shard=a, shard in (a,b); default all',
    DEFAULT_RECONCILE_INTERVAL:
      'how often objects with use-default-reconcile-interval are looked at again: 90s, 5m; default 5m',
    DISABLE_SSA:
      'true: merge manifests into objects and replace them, without server-side apply; ownership is not moved then',
    FAIL_OPEN:
      'true: failures of manifests count as success, unless eno.azure.io/fail-open says otherwise; default false',
    MIGRATING_FIELD_MANAGERS: 'managers whose fields may be moved, comma-separated; default all',
    MIGRATING_FIELDS: 'path patterns of fields that may be moved, comma-separated; default all',
    MIGRATION_ANNOTATIONS:
      'migrate-ownership annotations that may allow more than these settings, comma-separated: mode, release-to, cascade, allow-prune, allow-protected; none: no such annotation; default all',
    RESOURCE_FILTER:
      "work only on manifests for which this CEL expression is true: self.kind == 'ConfigMap', composition.metadata.labels.tier == 'a'; default all",
    MIGRATION_MODE: 'mode of manifests without the annotation: minimal, adopt, observe, off; default minimal',
  },
  commands: [owners, scan, plan, migrate, release, remove, apply],
  demo: {
    title: 'A removal that the API server rejects, because somebody else owns part of it',
    next: [
      'kubectl get deployments,compositions,resourceslices -n demo',
      'npx kubewright owners deployment/web -n demo',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).ownershipParts,
};
