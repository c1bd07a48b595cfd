// One line per operator. The manager, the installer, the command line and the demo take them from here.
export { capture } from './capture/operator.ts';
export { classes } from './classes/operator.ts';
export { drift } from './drift/operator.ts';
export { migration } from './migration/operator.ts';
export { ownership } from './ownership/operator.ts';
