import { Spinner } from '../ui/states.tsx';
import css from './waiting.module.css';

export const Waiting = () => (
  <div className={css.waiting}>
    <Spinner />
  </div>
);
