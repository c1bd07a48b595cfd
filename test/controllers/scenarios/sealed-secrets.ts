import {
  constants,
  createCipheriv,
  createPublicKey,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { corev1, type KubeObject } from '@kubewright/kube';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, isCondition, kindOf } from '../at-place.ts';
import type { Launch, Place, Scenario, Step } from '../scenario.ts';

const SEALED = kindOf('bitnami.com/v1alpha1', 'SealedSecret', 'sealedsecrets');
const NAME = 'login';
/** Where it keeps its keys. */
const HOME = 'default';
const IS_KEY = 'sealedsecrets.bitnami.com/sealed-secrets-key=active';

async function certificateOf({ client }: Place): Promise<string | undefined> {
  const { items } = await client.list<KubeObject>(corev1.secrets, { namespace: HOME, labelSelector: IS_KEY });
  const data = items[0]?.['data'] as { readonly 'tls.crt'?: string } | undefined;
  return data?.['tls.crt'];
}

/** As kubeseal does: an AES key of its own, encrypted for this name in this namespace alone, and what it encrypts. */
async function seal(place: Place, text: string): Promise<string> {
  const certificate = new X509Certificate(Buffer.from((await certificateOf(place)) ?? '', 'base64'));
  const session = randomBytes(32);
  const key = publicEncrypt(
    {
      key: createPublicKey(certificate.publicKey.export({ type: 'spki', format: 'pem' })),
      padding: constants.RSA_PKCS1_OAEP_PADDING,
      oaepHash: 'sha256',
      oaepLabel: Buffer.from(`${place.namespace}/${NAME}`),
    },
    session,
  );
  const cipher = createCipheriv('aes-256-gcm', session, Buffer.alloc(12));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(key.length);
  const sealed = [cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([length, key, ...sealed]).toString('base64');
}

const isUnsealed = async (place: Place): Promise<boolean> => {
  const live = await at(place).get(SEALED, NAME);
  const secret = await at(place).get(corev1.secrets, NAME);
  const keys = (of: unknown): string =>
    Object.keys(of ?? {})
      .toSorted()
      .join(' ');
  return (
    isCondition(live, 'Synced') &&
    valueAt(live, 'status.observedGeneration') === live.metadata.generation &&
    keys(secret['data']) === keys(valueAt(live, 'spec.encryptedData'))
  );
};

const uids = new Map<string, string>();
const deleted: Step = {
  title: 'its Secret is deleted',
  act: async (place) => {
    uids.set(place.namespace, (await at(place).get(corev1.secrets, NAME)).metadata.uid);
    await at(place).remove(corev1.secrets, NAME);
  },
  until: async (place) =>
    (await at(place).get(corev1.secrets, NAME)).metadata.uid !== uids.get(place.namespace) &&
    (await isUnsealed(place)),
};
let texts = 0;
const changed: Step = {
  title: 'another password, and one more',
  act: async (place) => {
    const encryptedData = {
      password: await seal(place, 'second'),
      [`password-${(texts += 1)}`]: await seal(place, 'third'),
    };
    await at(place).merge(SEALED, NAME, { spec: { encryptedData } });
  },
  until: isUnsealed,
};

const launch = ({ ports: [server, metrics] }: Launch) => ({
  args: [
    `--listen-addr=127.0.0.1:${server}`,
    `--listen-metrics-addr=127.0.0.1:${metrics}`,
    '--key-size=2048',
  ],
  env: { POD_NAMESPACE: HOME },
});

/** Secrets that only the cluster can read. */
export const sealedSecrets: Scenario = {
  name: 'sealed-secrets',
  launch,
  resources: [
    { apiGroups: ['bitnami.com'], resources: ['sealedsecrets'] },
    { apiGroups: [''], resources: ['secrets'] },
  ],
  steps: [
    {
      title: 'it makes its key',
      act: () => Promise.resolve(),
      until: async (place) => (await certificateOf(place)) !== undefined,
    },
    {
      title: 'a SealedSecret is created',
      act: async (place) => {
        const encryptedData = { password: await seal(place, 'first') };
        await at(place).create(SEALED, NAME, { spec: { encryptedData } });
      },
      until: isUnsealed,
    },
    deleted,
    changed,
    deleted,
    {
      title: 'a label for the Secret',
      act: (place) =>
        at(place).merge(SEALED, NAME, { spec: { template: { metadata: { labels: { app: 'shop' } } } } }),
      until: async (place) =>
        (await at(place).get(corev1.secrets, NAME)).metadata.labels?.['app'] === 'shop' &&
        (await isUnsealed(place)),
    },
    {
      title: 'it cannot be read, and then it can',
      act: async (place) => {
        const { password } = valueAt(await at(place).get(SEALED, NAME), 'spec.encryptedData') as {
          readonly password: string;
        };
        await at(place).merge(SEALED, NAME, { spec: { encryptedData: { password: 'bm90aGluZw==' } } });
        await at(place).merge(SEALED, NAME, { spec: { encryptedData: { password } } });
      },
      until: isUnsealed,
    },
  ],
  later: [deleted, changed],
  provoke: { title: deleted.title, act: deleted.act },
};
