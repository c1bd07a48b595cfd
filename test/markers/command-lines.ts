import { MARKER, PLACE } from './planted.ts';

/** How a command is run: its arguments, or `interrupt` what would wait. */
export type Line = {
  readonly args: readonly string[];
  /** Printing objects is what it is for: of Secrets it still prints no value. */
  readonly prints?: 'objects';
  /** A signal comes once it has printed this. */
  readonly interrupt?: RegExp;
};

/** Files that the lines name, in a folder of the test. */
export type Files = Readonly<Record<'manifests' | 'broken' | 'kubeconfig' | 'config' | 'out', string>>;

const line = (...args: readonly string[]): Line => ({ args });

/** Lines for each verb: success, failure, interrupt. A verb without lines fails the suite. */
export function commandLines(files: Files): Readonly<Record<string, readonly Line[]>> {
  const { manifests, broken, config, out } = files;
  const noFile = (...verb: readonly string[]): Line => line(...verb, '-f', broken);
  const ofServer = (...verb: readonly string[]): Line => line(...verb, '--kubeconfig', config);
  return {
    up: [line('up', '--operators', 'nobody')],
    demo: [ofServer('demo', 'drift')],
    cluster: [line('cluster', '--image', MARKER.slice(0, 3))],
    apiserver: [{ args: ['apiserver', '--port', '0', '--kubeconfig-out', out], interrupt: /^ready$/m }],
    envtest: [line('envtest', '--directory', out)],
    manager: [ofServer('manager')],
    install: [line('install', '--node-agents'), line('install', '--apply', '--dry-run', '-o', 'json')],
    doctor: [line('doctor'), line('doctor', '-o', 'json')],
    version: [line('version')],
    uninstall: [line('uninstall'), line('uninstall', '-o', 'json')],
    'new operator': [line('new', 'operator', 'No')],
    'generate manifests': [line('generate', 'manifests', '--operator', broken)],
    'generate image': [
      line('generate', 'image', manifests, '--base', broken, '--name', 'a', '--out', out, '--command', '.'),
    ],
    'schema import': [ofServer('schema', 'import', '-o', out)],
    completion: [line('completion', 'bash')],
    owners: [
      line('owners', 'secret/secret'),
      line('owners', 'deployment/web', 'spec.template'),
      noFile('owners'),
    ],
    'owners scan': [line('owners', 'scan')],
    'owners plan': [
      line('owners', 'plan', 'secret/secret', '--to', 'eno'),
      noFile('owners', 'plan', '--to', 'eno'),
    ],
    'owners migrate': [
      line('owners', 'migrate', 'secret/secret', '--to', 'eno', '--dry-run', 'server'),
      line('owners', 'migrate', 'deployment/web', '--to', 'eno', '--dry-run', 'client'),
    ],
    'owners release': [
      line('owners', 'release', 'secret/secret', '--to', 'helm', '--fields', 'data', '--dry-run', 'client'),
    ],
    'owners remove': [line('owners', 'remove', 'secret/secret', '--fields', 'data', '--dry-run', 'server')],
    apply: [
      line('apply', 'markers', '-f', manifests),
      { args: ['apply', 'markers', '-f', manifests, '--yes'], interrupt: /slice|objects are ready/ },
      line('apply', 'again', '-f', manifests, '--yes', '--timeout', '1s'),
      noFile('apply', 'x'),
    ],
    'drift list': [line('drift', 'list')],
    'drift show': [line('drift', 'show', 'secret/secret'), line('drift', 'show', 'deployment/web')],
    'drift explain': [
      line('drift', 'explain', 'secret/secret'),
      { args: ['drift', 'explain', 'deployment/web'], prints: 'objects' },
    ],
    'drift simulate': [noFile('drift', 'simulate'), line('drift', 'simulate', '-f', manifests)],
    'drift plan': [
      noFile('drift', 'plan', 'deployment/web'),
      line('drift', 'plan', 'deployment/web', '-f', manifests),
    ],
    'drift approve': [line('drift', 'approve', 'secret/secret')],
    'drift reject': [line('drift', 'reject', 'secret/secret')],
    'drift freeze': [line('drift', 'freeze', 'secret/secret')],
    'drift unfreeze': [line('drift', 'unfreeze', 'secret/secret')],
    'drift snooze': [line('drift', 'snooze', 'secret/secret')],
    'drift doctor': [line('drift', 'doctor')],
    'drift webhook': [line('drift', 'webhook', '--config', broken)],
    'drift controller': [ofServer('drift', 'controller')],
    'drift backend': [line('drift', 'backend', '--bind-address', MARKER.slice(0, 3))],
    'drift manifests': [line('drift', 'manifests', '--values', broken)],
    'migrate pod': [
      line(
        'migrate',
        'pod',
        'a-0',
        '--to',
        'node-1',
        '--queue',
        'q',
        '--exchange',
        'e',
        '--broker',
        `amqp://user:${MARKER}@127.0.0.1:1`,
      ),
    ],
    'migrate plan': [
      line(
        'migrate',
        'plan',
        'a-0',
        '--to',
        'node-1',
        '--queue',
        'q',
        '--exchange',
        'e',
        '--broker',
        `amqp://user:${MARKER}@127.0.0.1:1`,
      ),
    ],
    'migrate abort': [line('migrate', 'abort', 'request-2')],
    'migrate list': [line('migrate', 'list'), line('migrate', 'list', '-o', 'json')],
    'migrate state': [line('migrate', 'state', 'request-2')],
    'migrate agent': [line('migrate', 'agent')],
    drain: [line('drain', 'nowhere')],
    'class list': [line('class', 'list')],
    'class show': [line('class', 'show', 'request-3')],
    'class explain': [line('class', 'explain', 'request-3')],
    'class deploy': [noFile('class', 'deploy'), line('class', 'deploy', '-f', manifests)],
    'class plot': [line('class', 'plot', 'request-3')],
    'class doctor': [
      line('class', 'doctor', 'request-3', '--prometheus', `http://user:${MARKER}@127.0.0.1:1`),
    ],
    'capture namespace': [line('capture', 'namespace', PLACE, '--selector', 'app=none')],
    'capture pvc': [line('capture', 'pvc', 'nowhere')],
    'capture application': [line('capture', 'application', PLACE)],
    'capture list': [line('capture', 'list')],
    'capture show': [
      line('capture', 'show', 'nowhere'),
      line('capture', 'show', 'nowhere', '--key-file', broken),
    ],
    'capture export': [line('capture', 'export', 'nowhere', out)],
    'capture remove': [line('capture', 'remove', `${manifests}/`)],
    'capture import': [line('capture', 'import', `${manifests}/`)],
    'capture verify': [line('capture', 'verify', `${manifests}/`)],
    'capture diff': [line('capture', 'diff', `${manifests}/`, '--key-file', broken)],
    'capture restore': [line('capture', 'restore', 'nowhere', '--key-file', broken)],
    'capture keep': [line('capture', 'keep', 'nowhere')],
  };
}
