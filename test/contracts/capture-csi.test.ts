import { describe } from 'vitest';
import { findCsi } from '../../tools/assets/find-csi.mjs';
import { describeClusters } from '../servers/describe-clusters.ts';
import { CAPTURE_CONTROLLERS } from './capture-controllers.ts';
import { captureCsiContract } from './capture-csi.contract.ts';

const TITLE = 'operator capture with csi-driver-host-path';

const programs = findCsi();
if (programs === undefined)
  describe.skip(`${TITLE} [needs kubernetes-csi's programs: npm run assets:csi, or set CSI_HOSTPATH_PLUGIN too]`, () =>
    captureCsiContract({ directory: '', driver: '' }, () => ({}) as never));
else
  describeClusters(
    TITLE,
    { controllers: CAPTURE_CONTROLLERS, kubectl: true },
    (transport, _nodes, kubeconfigPath) =>
      captureCsiContract(programs, () => ({ transport: transport(), kubeconfigPath: kubeconfigPath() })),
  );
