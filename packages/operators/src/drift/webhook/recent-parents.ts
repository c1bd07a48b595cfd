import { compareResourceVersions, type KubeObject, type Stored } from '@kubewright/kube';

/** For how long a parent is taken for what it was when the server last reported it. */
export const RECENT_MS = 5000;

/** Which versions of parents are known at first hand: from a watch event, or a read, of a moment ago. */
export type RecentParents = {
  /** The server has reported this version. */
  reported(parent: Stored): void;
  /** A write of the object is being checked: what is known of it may be old at any moment. */
  changing(object: KubeObject): void;
  isRecent(parent: KubeObject): boolean;
};

type Report = { readonly version: string; readonly at: number };

/** `now` must not jump. */
export function createRecentParents(now: () => number): RecentParents {
  /** By uid, the oldest report first. */
  const reports = new Map<string, Report>();
  const forgetOld = (): void => {
    for (const [uid, { at }] of reports) {
      if (now() - at < RECENT_MS) return;
      reports.delete(uid);
    }
  };
  return {
    reported({ metadata: { uid, resourceVersion: version } }) {
      const known = reports.get(uid);
      if (known !== undefined && (compareResourceVersions(version, known.version) ?? 0) < 0) return;
      reports.delete(uid);
      reports.set(uid, { version, at: now() });
      forgetOld();
    },
    changing({ metadata: { uid = '' } }) {
      reports.delete(uid);
    },
    isRecent({ metadata: { uid = '', resourceVersion } }) {
      const known = reports.get(uid);
      return known !== undefined && known.version === resourceVersion && now() - known.at < RECENT_MS;
    },
  };
}
