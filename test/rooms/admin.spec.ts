import { runRoom } from './room';

runRoom('admin');
