package scenario

// Uninstall deletes all that the bundle holds, as kubectl delete -k and a pruning GitOps
// controller do: what its own annotations tell them to keep stays.
type Uninstall struct{}

func (u *Uninstall) validate() error { return nil }

func (u *Uninstall) String() string { return "the bundle is uninstalled" }
