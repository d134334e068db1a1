import { Labelled } from "../parts.tsx";

interface CertificatesFieldProps {
  label: string;
  hint: string;
  /** PEM. */
  value: string;
  onInput: (text: string) => void;
}

/** A field for certificates of authorities, as text. */
export function CertificatesField({ label, hint, value, onInput }: CertificatesFieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(at) => (
        <textarea
          {...at}
          class="code"
          rows={4}
          spellcheck={false}
          placeholder="-----BEGIN CERTIFICATE-----"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}
