import { Field } from "../../../shared/field.tsx";

interface SignInFieldsProps {
  user: string;
  password: string;
  /** the box knows one, which it shows to nobody */
  hasPassword: boolean;
  onEdit: (change: { user: string } | { password: string }) => void;
}

/** User and password of the box at a server. */
export function SignInFields({ user, password, hasPassword, onEdit }: SignInFieldsProps) {
  return (
    <div class="pair">
      <Field label="User" value={user} onInput={(text) => onEdit({ user: text })} />
      <Field
        label="Password"
        isSecret
        autocomplete="new-password"
        placeholder={hasPassword ? "unchanged" : ""}
        value={password}
        onInput={(text) => onEdit({ password: text })}
      />
    </div>
  );
}
