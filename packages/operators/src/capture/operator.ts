import type { Operator, OperatorCommand, ResourceNames } from '../kit/operator.ts';

const SOURCE = {
  '<source>':
    'a checkpoint, as "kubewright capture list" shows it, or an export: ./FOLDER, s3://BUCKET/PREFIX, or a .tar, .tar.gz or .tgz file',
};

const CHECKPOINT: ResourceNames = {
  plural: 'manifestcheckpoints',
  singular: 'manifestcheckpoint',
  group: 'state-snapshotter.deckhouse.io',
  shortName: 'mcp',
};

const FOR = { '--for <duration>': { help: 'how long it is kept, as 30d or 1h30m', default: '720h' } };

const RESUME = {
  '--resume <request>': {
    help: 'go on with a request of an interrupted command, which names it, in place of a new one',
  },
};

const KEPT = {
  '--for <duration>': { help: 'how long it is kept, as 30d or 1h30m; default: as long as its request' },
  '--keep': { help: 'keep it until you delete its ObjectKeeper' },
};

const KEY_FILE = {
  '--key-file <file>': { help: 'the keys of encrypted Secrets: per line an id and the base64 of 32 bytes' },
};

const commands: readonly OperatorCommand[] = [
  {
    name: 'capture namespace',
    writes: 'objects',
    summary: 'store the manifests of all objects of a namespace in a checkpoint',
    arguments: { '[name]': 'the namespace; default that of --namespace' },
    names: { plural: 'namespaces', singular: 'namespace', shortName: 'ns' },
    options: {
      '--selector <labels>': { help: 'only objects with these labels, as app=web,tier!=test' },
      ...KEPT,
      ...RESUME,
    },
    examples: [['capture namespace shop', 'store the manifests of everything in it']],
    leaves:
      'a request that was made is carried out: "kubewright capture list" shows it, --resume goes on with it',
    run: async (...call) => (await import('./commands/capture-namespace.ts')).captureNamespace(...call),
  },
  {
    name: 'capture pvc',
    writes: 'objects',
    summary: "take a snapshot of a claim's volume",
    arguments: { '<name>': 'the PersistentVolumeClaim' },
    names: { plural: 'persistentvolumeclaims', singular: 'persistentvolumeclaim', shortName: 'pvc' },
    options: {
      '--until-deadline': {
        help: 'wait, up to ten minutes, also where the storage system reports errors: they may pass',
      },
      ...KEPT,
      ...RESUME,
    },
    leaves:
      'a request that was made is carried out: "kubewright capture list" shows it, --resume goes on with it',
    run: async (...call) => (await import('./commands/capture-pvc.ts')).capturePvc(...call),
  },
  {
    name: 'capture application',
    writes: 'objects',
    summary: 'take snapshots of all volumes of a namespace, and store its manifests with them',
    arguments: { '[name]': 'the namespace; default that of --namespace' },
    names: { plural: 'namespaces', singular: 'namespace', shortName: 'ns' },
    options: {
      '--until-deadline': {
        help: 'wait, up to ten minutes, also where the storage system reports errors: they may pass',
      },
      ...KEPT,
      ...RESUME,
    },
    examples: [['capture application shop --for 30d', 'its volumes and manifests, to restore both at once']],
    leaves:
      'requests that were made are carried out: "kubewright capture list" shows them, --resume goes on with the one for manifests',
    run: async (...call) => (await import('./commands/capture-application.ts')).captureApplication(...call),
  },
  {
    name: 'capture list',
    summary: 'list requests and their artifacts',
    isList: true,
    run: async (...call) => (await import('./commands/list-requests.ts')).listRequests(...call),
  },
  {
    name: 'capture show',
    summary: 'verify a checkpoint and list its objects',
    arguments: SOURCE,
    names: CHECKPOINT,
    options: KEY_FILE,
    hasOutput: true,
    run: async (...call) => (await import('./commands/show-checkpoint.ts')).showCheckpoint(...call),
  },
  {
    name: 'capture export',
    hasOutput: true,
    summary: 'write the objects of a checkpoint to files, one each, with an index of their checksums',
    arguments: {
      '<checkpoint>': 'its name; "kubewright capture list" shows it',
      '<target>':
        'an empty or new folder, or s3://BUCKET/PREFIX; or a new file that ends in .tar, .tar.gz or .tgz: an archive',
    },
    names: CHECKPOINT,
    options: { '--overwrite': { help: 'replace the export that is at the target, complete or interrupted' } },
    examples: [['capture export nss-mcp-1b2c shop.tar.gz', 'keep a checkpoint outside the cluster']],
    leaves:
      'files that were written stay, and are no export; --overwrite replaces them, "kubewright capture remove" removes them',
    run: async (...call) => (await import('./commands/export-checkpoint.ts')).exportCheckpoint(...call),
  },
  {
    name: 'capture remove',
    hasOutput: true,
    summary: 'print how many files an export has; with --yes, remove them',
    arguments: { '<export>': './FOLDER, s3://BUCKET/PREFIX, or a .tar, .tar.gz or .tgz file' },
    options: { '--yes': { help: 'remove the files' } },
    examples: [['capture remove s3://backups/shop-monday --yes', 'remove an export, or what is left of one']],
    leaves: 'what is left is no export; run it again to continue',
    run: async (call) => (await import('./commands/remove-export.ts')).removeExport(call),
  },
  {
    name: 'capture import',
    writes: 'own',
    hasOutput: true,
    summary: 'make a checkpoint of exported objects, in this cluster or another one',
    arguments: { '<export>': './FOLDER, s3://BUCKET/PREFIX, or a .tar, .tar.gz or .tgz file' },
    options: FOR,
    examples: [['capture import shop.tar.gz', 'bring an export into another cluster']],
    leaves:
      'a checkpoint that was begun is not ready, and goes with its ObjectKeeper at the latest; run it again',
    run: async (...call) => (await import('./commands/import-checkpoint.ts')).importCheckpoint(...call),
  },
  {
    name: 'capture verify',
    summary: 'whether all objects of a checkpoint or an export are as they were captured',
    arguments: SOURCE,
    names: CHECKPOINT,
    hasOutput: true,
    run: async (...call) => (await import('./commands/verify-checkpoint.ts')).verifyCheckpoint(...call),
  },
  {
    name: 'capture diff',
    summary:
      'print what has changed in the cluster since a capture; exits with 1 if anything has, with 2 on errors',
    errorExitCode: 2,
    arguments: SOURCE,
    names: CHECKPOINT,
    options: KEY_FILE,
    examples: [['capture diff ./shop-monday', 'what has changed since that export']],
    run: async (...call) => (await import('./commands/diff-checkpoint.ts')).diffCheckpoint(...call),
  },
  {
    name: 'capture restore',
    writes: 'own',
    summary: 'print how a restore would go; with --yes, create the objects that are not there',
    arguments: SOURCE,
    names: CHECKPOINT,
    options: {
      '--to <namespace>': { help: 'the namespace (default: that of the capture)' },
      '--existing <policy>': {
        help: 'objects that exist and differ: fail (nothing is restored, also where the server rejects one), skip (these are left out), update (what was captured is set again, what was added stays) or replace (what was added goes, too)',
        default: 'fail',
      },
      ...KEY_FILE,
      '--profiles <file>': {
        help: 'what a restore has to know of your own kinds, a YAML list: group, kind, order (data, last), namespaces, inCopy, note',
      },
      '--storage-class <old=new>': {
        help: 'StorageClasses that take the place of others, in claims and their templates, as gp2=fast,gp3=fast',
      },
      '--volumes': {
        help: 'make claims with the data of the snapshots that "capture application" took with this checkpoint',
      },
      '--yes': { help: 'create the objects' },
      '--no-dry-run': { help: 'do not ask the server first whether it accepts each object' },
    },
    hasOutput: true,
    examples: [
      ['capture restore ./shop-monday --to shop-2 --yes', 'create what was captured in another namespace'],
    ],
    leaves: 'objects that were created stay; run it again to continue',
    run: async (...call) => (await import('./commands/restore-content.ts')).restoreContent(...call),
  },
  {
    name: 'capture keep',
    writes: 'objects',
    summary: 'keep a checkpoint for some time, even when its request is deleted',
    arguments: { '<checkpoint>': 'its name; "kubewright capture list" shows it' },
    names: CHECKPOINT,
    options: FOR,
    leaves: 'the checkpoint may be kept already: "kubectl get objectkeepers" shows by what',
    run: async (...call) => (await import('./commands/keep-checkpoint.ts')).keepCheckpoint(...call),
  },
];

/** Captures manifests and volumes, once per request, and restores volumes. */
export const operator: Operator = {
  name: 'capture',
  summary: 'captures manifests and volumes, once per request, and restores volumes',
  settings: {
    REQUEST_TTL:
      'how long finished capture and restore requests are kept, like 1h30m; 0 keeps them forever; default 10m',
    KEEPER_SYNC_PERIOD:
      'how often ObjectKeepers poll followed objects that are not requests, from 1s to 24h; default 1m',
    CAPTURE_CHUNK_BYTES:
      'the most bytes of gzip in a chunk of a checkpoint, from 1024 to 786432, which is the default',
    CAPTURE_SECRETS:
      'default secret policy of requests: Include, Redact, Exclude or Encrypt; default Include',
    CAPTURE_KEY_FILE:
      'a file with the keys that encrypt Secrets: per line an id and the base64 of 32 bytes; the first encrypts',
  },
  commands,
  demo: {
    title: 'Capture a namespace and a volume; deleting the request deletes its artifacts',
    next: [
      'kubectl get vcr,vrr,pvc -n demo-capture',
      'kubectl get objectkeepers,mcp,mcpchunk',
      'npx kubewright capture namespace demo-capture',
    ],
    play: async (stage) => (await import('./demo/play-demo.ts')).playDemo(stage),
  },
  load: async () => (await import('./controller.ts')).captureParts,
};
