import { runRoom } from './room';

runRoom('core');
