import { runRoom } from './room';

runRoom('status');
