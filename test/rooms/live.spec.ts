import { runRoom } from './room';

runRoom('live');
